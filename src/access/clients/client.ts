import { type Client, type ClientEvent, clientCodec } from '../../events/client-events.js';
import type { Decider } from '../../stores/event-store/handle.js';
import { ClientNotFound } from './errors.js';

export type { Client, ClientEvent, ClientScope, ClientSecret } from '../../events/client-events.js';

/** The registered clients, in the order of their listener. */
export type Clients = readonly Client[];

export const clientsDecider: Decider<Clients, ClientEvent> = {
  codec: clientCodec,
  initialState: () => [],
  evolve: (_, { data }) => data.clients,
};

/** Throws `ClientNotFound`. */
export function requireClient(clients: Clients, clientId: string): Client {
  const client = clients.find((each) => each.clientId === clientId);
  if (!client) throw new ClientNotFound(clientId);
  return client;
}

/** These clients with a new state of one of them. */
export const withClient = (clients: Clients, changed: Client): Client[] =>
  clients.map((each) => (each.clientId === changed.clientId ? changed : each));
