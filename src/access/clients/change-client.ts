import { isDeepStrictEqual } from 'node:util';
import { type Client, type ClientEvent, type ClientScope, type Clients, requireClient, withClient } from './client.js';

/** Undefined fields stay unchanged. */
export type ChangeClient = {
  readonly clientId: string;
  readonly name?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly scopes?: readonly ClientScope[] | undefined;
};

/**
 * Changes a client's name, redirect URIs or scopes. A scope that is taken away is refused at once, also to sessions that have
 * it; one that is added is given to new sessions. Throws `ClientNotFound`. Returns no event if nothing changes.
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
