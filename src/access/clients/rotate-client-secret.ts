import { InvalidRequest } from '../../kernel/domain-error.js';
import { type Client, type ClientEvent, type ClientSecret, type Clients, requireClient, withClient } from './client.js';
import { isValidAt } from './client-secret.js';
import { ClientSecretsOverlap } from './errors.js';

export type RotateClientSecret = {
  readonly clientId: string;
  /** The hash of the new secret. */
  readonly secretHash: string;
  /** For how long the replaced secret stays valid; 0 ends it and all earlier ones at once, null: until it is ended. */
  readonly overlapMs: number | null;
  /** The newest secret was lost before a client used it: it ends at once, and the previous one stays valid. */
  readonly discardNewest: boolean;
  readonly now: Date;
};

/**
 * Gives a confidential client a new secret. Throws `ClientNotFound`, `InvalidRequest` for a public client, and
 * `ClientSecretsOverlap` if two secrets are valid and the rotation would keep one of them beside the new one.
 */
export function rotateClientSecret(command: RotateClientSecret, clients: Clients): ClientEvent[] {
  const { clientId, secretHash, now } = command;
  const client = requireConfidential(clients, clientId);
  const kept = keptSecret(command, client);
  const newest: ClientSecret = { hash: secretHash, createdAt: now.toISOString(), until: null };
  const changed = { ...client, secrets: kept ? [newest, kept] : [newest] };
  return [{ type: 'ClientSecretRotated', data: { clientId, clients: withClient(clients, changed) } }];
}

export type EndPreviousSecret = { readonly clientId: string; readonly now: Date };

/** Ends the previous secret of a client. Throws as `rotateClientSecret`. Returns no event if only one secret is valid. */
export function endPreviousSecret({ clientId, now }: EndPreviousSecret, clients: Clients): ClientEvent[] {
  const client = requireConfidential(clients, clientId);
  const [newest, previous] = client.secrets;
  if (!newest || !previous || !isValidAt(previous, now)) return [];
  const changed = { ...client, secrets: [newest] };
  return [{ type: 'ClientPreviousSecretEnded', data: { clientId, clients: withClient(clients, changed) } }];
}

/** The secret that stays valid beside the new one. */
function keptSecret({ overlapMs, discardNewest, now }: RotateClientSecret, { secrets }: Client) {
  const [newest, previous] = secrets;
  const overlapping = previous && isValidAt(previous, now) ? previous : undefined;
  if (overlapMs === 0) return undefined;
  if (discardNewest) return overlapping;
  if (overlapping) throw new ClientSecretsOverlap(overlapping.until);
  return newest && { ...newest, until: overlapMs === null ? null : new Date(now.getTime() + overlapMs).toISOString() };
}

function requireConfidential(clients: Clients, clientId: string): Client {
  const client = requireClient(clients, clientId);
  if (client.type === 'public') throw new InvalidRequest(`'${clientId}' is a public client, which has no secret`);
  return client;
}
