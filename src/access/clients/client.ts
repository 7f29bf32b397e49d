import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Client, type ClientEvent, type ClientSecret, clientCodec } from '../../events/client-events.js';
import type { Decider } from '../../stores/event-store/handle.js';
import { ClientNotFound } from '../errors.js';

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

/** A new secret of 256 random bits. The prefix lets scanners of source code find leaked ones. */
export const generateClientSecret = (): string => `fhc_${randomBytes(32).toString('base64url')}`;

/** SHA-256, base64url. A fast hash suffices: the secrets are generated and cannot be guessed. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Whether a secret is valid at a time. */
export const isValidAt = ({ until }: ClientSecret, now: Date): boolean =>
  until === null || Date.parse(until) > now.getTime();

/** Whether a presented secret is one of the client's valid ones. Compares hashes in constant time, all of them. */
export function hasSecret({ secrets }: Client, presented: string, now: Date): boolean {
  const digest = Buffer.from(hashOfSecret(presented));
  const matching = secrets.filter((each) => timingSafeEqual(Buffer.from(each.hash), digest));
  return matching.some((each) => isValidAt(each, now));
}
