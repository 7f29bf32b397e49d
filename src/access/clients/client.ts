import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Client, type ClientEvent, type ClientSecret, clientCodec } from '../../events/client-events.js';
import type { Decider } from '../../stores/event-store/handle.js';
import { ClientNotFound } from '../errors.js';

/** Oldest first. */
export type Clients = readonly Client[];

export const clientsDecider: Decider<Clients, ClientEvent> = {
  codec: clientCodec,
  initialState: () => [],
  evolve: (_, { data }) => data.clients,
};

export function requireClient(clients: Clients, clientId: string): Client {
  const client = clients.find((each) => each.clientId === clientId);
  if (!client) throw new ClientNotFound(clientId);
  return client;
}

export const withClient = (clients: Clients, changed: Client): Client[] =>
  clients.map((each) => (each.clientId === changed.clientId ? changed : each));

/** 256 random bits. The prefix lets scanners of source code find leaked secrets. */
export const generateClientSecret = (): string => `fhc_${randomBytes(32).toString('base64url')}`;

/** SHA-256, base64url. A fast hash suffices: the secrets are generated and cannot be guessed. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');

export const isValidAt = ({ until }: ClientSecret, now: Date): boolean =>
  until === null || Date.parse(until) > now.getTime();

/** Compares all valid hashes, in constant time. */
export function hasSecret({ secrets }: Client, presented: string, now: Date): boolean {
  const digest = Buffer.from(hashOfSecret(presented));
  const matching = secrets.filter((each) => timingSafeEqual(Buffer.from(each.hash), digest));
  return matching.some((each) => isValidAt(each, now));
}
