import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** What a client's access tokens allow: listeners, and publishing of flow events. */
export const clientScope = z.enum(['listeners', 'flows:publish']);

export type ClientScope = z.output<typeof clientScope>;

const clientSecret = z.object({
  /** SHA-256, base64url, of the secret, which has 256 random bits: identifies the secret without revealing it. */
  hash: z.string().regex(/^[\w-]{43}$/),
  createdAt: z.iso.datetime(),
  /** The time from which it is refused; null: valid until an operator ends it. */
  until: z.iso.datetime().nullable(),
});

const client = z.object({
  clientId: z.string(),
  /** For operators, and for users who are asked for consent. */
  name: z.string(),
  /** RFC 6749 §2.1. A public client has no secret; it proves possession of its codes with PKCE. */
  type: z.enum(['confidential', 'public']),
  /** Compared character by character (RFC 9700 §4.1.3). */
  redirectUris: z.array(z.string()),
  scopes: z.array(clientScope),
  /** The current secret, then the previous one while it is valid; empty for a public client. */
  secrets: z.array(clientSecret).max(2),
  registeredAt: z.iso.datetime(),
});

export type Client = z.output<typeof client>;
export type ClientSecret = z.output<typeof clientSecret>;

/** Each event names the client that it is about, and carries all clients after it: one event answers every question. */
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
/** The previous secret of a client was ended before its time. */
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

/** All clients are in one stream. */
export const clientsStream = 'service-clients';
