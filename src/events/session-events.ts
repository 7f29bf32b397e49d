import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';
import { clientScope } from './client-events.js';
import { imported } from './imported.js';

/** SHA-256, base64url, of a refresh token. */
const tokenHash = z.string().regex(/^[\w-]{43}$/);

const session = {
  sessionId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  /** ISO 8601. */
  issuedAt: z.string(),
  rotatedAt: z.string(),
  /** Hash of the current refresh token. */
  currentHash: tokenHash,
  keyGeneration: z.string(),
  previousHash: tokenHash.nullable(),
  rotations: z.int().nonnegative(),
  /** Null: no client was registered then. */
  clientId: z.string().nullable(),
  /** Null: all, without a client. */
  scopes: z.array(clientScope).nullable(),
  /** RFC 8707: the only resource that the tokens are for; missing: the whole service. */
  resource: z.literal('/mcp').optional(),
};

const sessionEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'session', type, version: 1, schema: z.object({ ...session, ...shape }) });

export const TokensIssued = sessionEvent('TokensIssued', { imported: imported.optional() });
export const RefreshRotated = sessionEvent('RefreshRotated', {});
export const RefreshReuseDetected = sessionEvent('RefreshReuseDetected', {
  presentedHash: tokenHash,
});
export const SessionRevoked = sessionEvent('SessionRevoked', {
  reason: z.enum(['refresh-token-reused', 'code-reused', 'requested', 'operator']),
  revokedAt: z.string(),
});

const sessionEvents = [TokensIssued, RefreshRotated, RefreshReuseDetected, SessionRevoked] as const;

export type SessionEvent = EventOf<(typeof sessionEvents)[number]>;

export const sessionCodec = codecFor(sessionEvents);
