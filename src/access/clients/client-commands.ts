import { isDeepStrictEqual } from 'node:util';
import type { Client, ClientEvent, ClientScope, ClientSecret } from '../../events/client-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { ClientExists, ClientSecretsOverlap, TooManyClients } from '../errors.js';
import { type Clients, isValidAt, requireClient, withClient } from './client.js';

/** Each event carries all clients, and this many of maximum size fit into one. */
export const maxClients = 200;

export type RegisterClient = {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
  scopes: readonly ClientScope[];
  /** Null: a public client. */
  secretHash: string | null;
  now: Date;
};

/** Throws `ClientExists` if the ID is in use, and `TooManyClients`. */
export function registerClient(command: RegisterClient, clients: Clients): ClientEvent[] {
  const { clientId, name, redirectUris, scopes, secretHash, now } = command;
  if (clients.some((each) => each.clientId === clientId)) throw new ClientExists(clientId);
  if (clients.length >= maxClients) throw new TooManyClients(maxClients);
  const registeredAt = now.toISOString();
  const registered: Client = {
    clientId,
    name,
    type: secretHash === null ? 'public' : 'confidential',
    redirectUris: [...redirectUris],
    scopes: [...scopes],
    secrets: secretHash === null ? [] : [{ hash: secretHash, createdAt: registeredAt, until: null }],
    registeredAt,
  };
  return [{ type: 'ClientRegistered', data: { clientId, clients: [...clients, registered] } }];
}

/** Undefined fields stay unchanged. */
export type ChangeClient = {
  clientId: string;
  name?: string;
  redirectUris?: readonly string[];
  scopes?: readonly ClientScope[];
};

/**
 * A scope that is removed is refused at once, also to sessions that have it; an added one is given to new sessions.
 * Throws `ClientNotFound`.
 */
export function changeClient({ clientId, name, redirectUris, scopes }: ChangeClient, clients: Clients): ClientEvent[] {
  const client = requireClient(clients, clientId);
  const changed: Client = {
    ...client,
    name: name ?? client.name,
    redirectUris: redirectUris ? [...redirectUris] : client.redirectUris,
    scopes: scopes ? [...scopes] : client.scopes,
  };
  if (isDeepStrictEqual(changed, client)) return [];
  return [{ type: 'ClientChanged', data: { clientId, clients: withClient(clients, changed) } }];
}

type RemoveClient = { clientId: string };

/** Throws `ClientNotFound`. */
export function removeClient({ clientId }: RemoveClient, clients: Clients): ClientEvent[] {
  requireClient(clients, clientId);
  const others = clients.filter((each) => each.clientId !== clientId);
  return [{ type: 'ClientRemoved', data: { clientId, clients: others } }];
}

export type RotateClientSecret = {
  clientId: string;
  secretHash: string;
  /** 0 ends the replaced secret and all earlier ones at once; null: it stays valid until it is ended. */
  overlapMs: number | null;
  /** The newest secret was lost before a client used it: it ends at once, and the previous one stays valid. */
  discardNewest: boolean;
  now: Date;
};

/**
 * Throws `ClientNotFound`, `InvalidRequest` for a public client, and `ClientSecretsOverlap` if two secrets are valid
 * and one of them would stay valid beside the new one.
 */
export function rotateClientSecret(command: RotateClientSecret, clients: Clients): ClientEvent[] {
  const { clientId, secretHash, now } = command;
  const client = requireConfidential(clients, clientId);
  const kept = keptSecret(command, client);
  const newest: ClientSecret = { hash: secretHash, createdAt: now.toISOString(), until: null };
  const changed = { ...client, secrets: kept ? [newest, kept] : [newest] };
  return [{ type: 'ClientSecretRotated', data: { clientId, clients: withClient(clients, changed) } }];
}

type EndPreviousSecret = { clientId: string; now: Date };

/** Throws as `rotateClientSecret`. Returns no event if only one secret is valid. */
export function endPreviousSecret({ clientId, now }: EndPreviousSecret, clients: Clients): ClientEvent[] {
  const client = requireConfidential(clients, clientId);
  const [newest, previous] = client.secrets;
  if (!newest || !previous || !isValidAt(previous, now)) return [];
  const changed = { ...client, secrets: [newest] };
  return [{ type: 'ClientPreviousSecretEnded', data: { clientId, clients: withClient(clients, changed) } }];
}

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
