import { randomUUID } from 'node:crypto';
import { expiryOf, type Session, type SessionExpiry, sessionLifecycle } from '../../access/tokens/session.js';
import { sessionCodec } from '../../events/session-events.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { eraseStreams } from './erase-streams.js';
import type { RetentionPolicy } from './stream-retention.js';

export type SessionRetention = {
  readonly store: EventStore;
  readonly limits: SessionExpiry;
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

/**
 * Deletes sessions `retentionMs` after they were revoked or expired. The deletions are recorded in events, which views and
 * seals need.
 */
export function sessionRetention({ store, limits, retentionMs, clock }: SessionRetention): RetentionPolicy {
  return {
    category: 'session',
    async prepareCheck() {
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

/** Undefined where the event cannot be decoded. */
function sessionAfter(last: RecordedEvent): Session | undefined {
  try {
    const event = sessionCodec.decode(last);
    return event && sessionLifecycle.evolve(sessionLifecycle.initialState(), event);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

/** Time at which a session was revoked or expires, in milliseconds since 1970. */
function endOf(session: Session, limits: SessionExpiry): number {
  if (session.status === 'none') return Number.POSITIVE_INFINITY;
  const expiry = expiryOf(session, limits);
  return session.status === 'revoked' ? Math.min(Date.parse(session.revokedAt), expiry) : expiry;
}
