import { randomUUID } from 'node:crypto';
import { type Session, sessionLifecycle } from '../../access/tokens/session.js';
import { sessionCodec } from '../../events/session-events.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { eraseStreams } from './erase-streams.js';
import type { RetentionPolicy } from './stream-retention.js';

/** When sessions end by themselves, in milliseconds. */
export type SessionLimits = { readonly refreshIdleMs: number; readonly sessionLifetimeMs: number };

export type SessionRetention = {
  readonly store: EventStore;
  readonly limits: SessionLimits;
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

/** Sessions go so long after they ended: revoked, idle for too long, or over. It is on record, for views and for seals. */
export function sessionRetention({ store, limits, retentionMs, clock }: SessionRetention): RetentionPolicy {
  return {
    category: 'session',
    async judge() {
      const before = clock() - retentionMs;
      return async (last) => {
        const session = sessionAfter(last);
        return session !== undefined && endOf(session, limits) < before;
      };
    },
    async erase(lasts) {
      const streams = lasts.map(({ stream, revision }) => ({ stream, revision, listenerIds: [] }));
      const cause = { actor: 'service', correlationId: randomUUID() };
      await eraseStreams(store, 'retention', null, streams, { cause, now: new Date(clock()) });
    },
  };
}

/** Undefined where nobody can tell. */
function sessionAfter(last: RecordedEvent): Session | undefined {
  try {
    const event = sessionCodec.decode(last);
    return event && sessionLifecycle.evolve(sessionLifecycle.initialState(), event);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

/** When a session has ended, or will by itself: milliseconds since 1970. */
function endOf(session: Session, { refreshIdleMs, sessionLifetimeMs }: SessionLimits): number {
  if (session.status === 'none') return Number.POSITIVE_INFINITY;
  const byItself = Math.min(
    Date.parse(session.rotatedAt) + refreshIdleMs,
    Date.parse(session.issuedAt) + sessionLifetimeMs,
  );
  return session.status === 'revoked' ? Math.min(Date.parse(session.revokedAt), byItself) : byItself;
}
