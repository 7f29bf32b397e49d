import { type ClientEvent, type Clients, requireClient } from './client.js';

export type RemoveClient = { readonly clientId: string };

/** Removes a client: its credentials and tokens are refused from now on. Throws `ClientNotFound`. */
export function removeClient({ clientId }: RemoveClient, clients: Clients): ClientEvent[] {
  requireClient(clients, clientId);
  const others = clients.filter((each) => each.clientId !== clientId);
  return [{ type: 'ClientRemoved', data: { clientId, clients: others } }];
}
