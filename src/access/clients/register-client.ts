import type { Client, ClientEvent, ClientScope, Clients } from './client.js';
import { ClientExists, TooManyClients } from './errors.js';

/** Each event carries all clients, and this many of maximum size fit into one. */
export const maxClients = 200;

export type RegisterClient = {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly ClientScope[];
  /** The hash of the generated secret; null: a public client. */
  readonly secretHash: string | null;
  readonly now: Date;
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
