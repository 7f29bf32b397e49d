import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** What an API key may do: publish flow events, read and explain them, read listeners, subscribe and unsubscribe them, read deliveries. */
export const apiKeyScopes = [
  'flows:publish',
  'flows:read',
  'listeners:read',
  'listeners:write',
  'deliveries:read',
] as const;

export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** The data of every API key event, so that the last event alone is enough for the next decision. */
const apiKey = {
  apiKeyId: z.uuid(),
  /** For people; need not be unique. */
  name: z.string(),
  /** The organisation that it is for; null: every organisation. */
  orgId: z.string().nullable(),
  scopes: z.array(z.enum(apiKeyScopes)).min(1),
  /** SHA-256, base64url, of the key's text: identifies the key without revealing it. */
  hash: z.string().regex(/^[\w-]{43}$/),
  createdAt: z.iso.datetime(),
  /** Null: it does not expire. */
  expiresAt: z.iso.datetime().nullable(),
  /** The last recorded use, recorded at most once an hour; null before the first one. */
  lastUsedAt: z.iso.datetime().nullable(),
};

const apiKeyEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'apiKey', type, version: 1, schema: z.object({ ...apiKey, ...shape }) });

export const ApiKeyCreated = apiKeyEvent('ApiKeyCreated', {});
const ApiKeyUsed = apiKeyEvent('ApiKeyUsed', {});
const ApiKeyRevoked = apiKeyEvent('ApiKeyRevoked', { revokedAt: z.iso.datetime() });

export const apiKeyEvents = [ApiKeyCreated, ApiKeyUsed, ApiKeyRevoked] as const;

export type ApiKeyEvent = EventOf<(typeof apiKeyEvents)[number]>;

export const apiKeyCodec = codecFor(apiKeyEvents);
