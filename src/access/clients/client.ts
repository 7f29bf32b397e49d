import { randomBytes } from 'node:crypto';
import { type Client, type ClientEvent, type ClientSecret, clientCodec } from '../../events/client-events.js';
import type { Decider } from '../../stores/event-store/handle.js';
import { ClientNotFound } from '../errors.js';
import { hasHash } from '../secret-hash.js';
import { isDocumentUrl } from './client-documents.js';
import { isRedirectUri } from './contract.js';

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

/** Character by character (RFC 9700 §4.1.3); a client with a document may use any port of a loopback host (RFC 8252 §7.3). */
export const allowsRedirect = ({ clientId, redirectUris }: Client, uri: string): boolean =>
  redirectUris.includes(uri) ||
  (isDocumentUrl(clientId) && isRedirectUri(uri) && redirectUris.some((each) => anyPort(each) === anyPort(uri)));

function anyPort(uri: string): string {
  const url = new URL(uri);
  if (url.protocol !== 'http:') return uri; // http is for loopback hosts alone
  url.port = '';
  return url.href;
}

/** 256 random bits. The prefix lets scanners of source code find leaked secrets. */
export const generateClientSecret = (): string => `fhc_${randomBytes(32).toString('base64url')}`;

export const isValidAt = ({ until }: ClientSecret, now: Date): boolean =>
  until === null || Date.parse(until) > now.getTime();

export const hasSecret = ({ secrets }: Client, presented: string, now: Date): boolean =>
  secrets.filter((each) => hasHash(presented, each.hash)).some((each) => isValidAt(each, now));
