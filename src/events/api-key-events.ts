import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

export const apiKeyScopes = [
  'flows:publish',
  'flows:read',
  'listeners:read',
  'listeners:write',
  'deliveries:read',
] as const;

export type ApiKeyScope = (typeof apiKeyScopes)[number];

const apiKey = {
  apiKeyId: z.uuid(),
  name: z.string(),
  /** Null: every organisation. */
  orgId: z.string().nullable(),
  scopes: z.array(z.enum(apiKeyScopes)).min(1),
  /** SHA-256, base64url, of the key's text. */
  hash: z.string().regex(/^[\w-]{43}$/),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  /** Recorded at most once an hour; null before the first use. */
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
