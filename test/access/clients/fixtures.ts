import type { Clients } from '../../../src/access/clients/client.js';
import {
  type ChangeClient,
  changeClient,
  endPreviousSecret,
  type RegisterClient,
  type RotateClientSecret,
  registerClient,
  removeClient,
  rotateClientSecret,
} from '../../../src/access/clients/client-commands.js';
import type { Client, ClientEvent } from '../../../src/events/client-events.js';

export const hour = 3_600_000;

/** The listener of the clients in these tests, and a time after it. */
const began = new Date('2026-01-01T00:00:00.000Z');
export const later = (ms: number): Date => new Date(began.getTime() + ms);

/** The hash in events of a secret that the test calls `name`. */
export const hash = (name: string): string => name.padEnd(43, '_');

export const secret = (name: string, createdAt = began, until: Date | null = null): Client['secrets'][number] => ({
  hash: hash(name),
  createdAt: createdAt.toISOString(),
  until: until?.toISOString() ?? null,
});

export const client = (changes: Partial<Client> = {}): Client => ({
  clientId: 'zapier',
  name: 'Zapier',
  type: 'confidential',
  redirectUris: ['https://zapier.example/callback'],
  scopes: ['listeners'],
  secrets: [secret('first')],
  registeredAt: began.toISOString(),
  ...changes,
});

export const publicClient = (changes: Partial<Client> = {}): Client =>
  client({ type: 'public', secrets: [], ...changes });

export const event = (
  type: ClientEvent['type'],
  clients: readonly Client[],
  clientId: string = client().clientId,
): ClientEvent => ({ type, data: { clientId, clients: [...clients] } });

export const registered = (...clients: readonly Client[]): ClientEvent =>
  event('ClientRegistered', clients, clients.at(-1)?.clientId);

type Decision = (clients: Clients) => ClientEvent[];

export const register =
  (changes: Partial<RegisterClient> = {}): Decision =>
  (clients) => {
    const { clientId, name, redirectUris, scopes } = client();
    return registerClient(
      { clientId, name, redirectUris, scopes, secretHash: hash('first'), now: began, ...changes },
      clients,
    );
  };

export const change =
  (changes: Partial<ChangeClient> = {}): Decision =>
  (clients) =>
    changeClient({ clientId: 'zapier', ...changes }, clients);

export const rotate =
  (changes: Partial<RotateClientSecret> = {}): Decision =>
  (clients) =>
    rotateClientSecret(
      { clientId: 'zapier', secretHash: hash('second'), overlapMs: null, discardNewest: false, now: began, ...changes },
      clients,
    );

export const endPrevious =
  (now = began, clientId = 'zapier'): Decision =>
  (clients) =>
    endPreviousSecret({ clientId, now }, clients);

export const remove =
  (clientId = 'zapier'): Decision =>
  (clients) =>
    removeClient({ clientId }, clients);
