import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

export const clientScope = z.enum(['listeners', 'flows:publish']);

export type ClientScope = z.output<typeof clientScope>;

const clientSecret = z.object({
  /** SHA-256, base64url; the secret has 256 random bits. */
  hash: z.string().regex(/^[\w-]{43}$/),
  createdAt: z.iso.datetime(),
  /** Null: until an operator ends it. */
  until: z.iso.datetime().nullable(),
});

const client = z.object({
  clientId: z.string(),
  name: z.string(),
  /** RFC 6749 §2.1; public clients have no secret and use PKCE. */
  type: z.enum(['confidential', 'public']),
  /** RFC 9700 §4.1.3: compared character by character. */
  redirectUris: z.array(z.string()),
  scopes: z.array(clientScope),
  /** The current one, then the previous one while it is valid. */
  secrets: z.array(clientSecret).max(2),
  registeredAt: z.iso.datetime(),
});

export type Client = z.output<typeof client>;
export type ClientSecret = z.output<typeof clientSecret>;

/** Carries all clients after it. */
const clientEvent = <const Type extends string>(type: Type) =>
  defineEvent({
    category: 'service',
    type,
    version: 1,
    schema: z.object({ clientId: z.string(), clients: z.array(client) }),
  });

const ClientRegistered = clientEvent('ClientRegistered');
const ClientChanged = clientEvent('ClientChanged');
const ClientSecretRotated = clientEvent('ClientSecretRotated');
const ClientPreviousSecretEnded = clientEvent('ClientPreviousSecretEnded');
const ClientRemoved = clientEvent('ClientRemoved');

const clientEvents = [
  ClientRegistered,
  ClientChanged,
  ClientSecretRotated,
  ClientPreviousSecretEnded,
  ClientRemoved,
] as const;

export type ClientEvent = EventOf<(typeof clientEvents)[number]>;

export const clientCodec = codecFor(clientEvents);

export const clientsStream = 'service-clients';
