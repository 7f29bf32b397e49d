import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';
import { clientScope } from './client-events.js';

/** SHA-256, base64url, of a refresh token: identifies the token without revealing it. */
const tokenHash = z.string().regex(/^[\w-]{43}$/);

/** The data of every session event, so that the last event alone is enough for the next decision. */
const session = {
  sessionId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  /** ISO 8601: when the session began, and when its refresh token was last rotated. */
  issuedAt: z.string(),
  rotatedAt: z.string(),
  /** The current refresh token, and the master key that it was derived from. */
  currentHash: tokenHash,
  keyGeneration: z.string(),
  /** The previous one; null before the first rotation. */
  previousHash: tokenHash.nullable(),
  /** How many times the refresh token has been rotated. */
  rotations: z.int().nonnegative(),
  /** The client that it is bound to; null: none, it began while no client was registered. */
  clientId: z.string().nullable(),
  /** The scopes that were granted to the client; null: all, without a client. */
  scopes: z.array(clientScope).nullable(),
};

const sessionEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'session', type, version: 1, schema: z.object({ ...session, ...shape }) });

export const TokensIssued = sessionEvent('TokensIssued', {});
export const RefreshRotated = sessionEvent('RefreshRotated', {});
export const RefreshReuseDetected = sessionEvent('RefreshReuseDetected', {
  /** The hash of the presented token. */
  presentedHash: tokenHash,
});
export const SessionRevoked = sessionEvent('SessionRevoked', {
  reason: z.enum(['refresh-token-reused', 'code-reused', 'requested', 'operator']),
  revokedAt: z.string(),
});

const sessionEvents = [TokensIssued, RefreshRotated, RefreshReuseDetected, SessionRevoked] as const;

export type SessionEvent = EventOf<(typeof sessionEvents)[number]>;

export const sessionCodec = codecFor(sessionEvents);
