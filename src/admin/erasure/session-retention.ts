import { randomUUID } from 'node:crypto';
import { type PortalLink, portalLinkLifecycle } from '../../access/portal/portal-link.js';
import { expiryOf, type Session, type SessionExpiry, sessionLifecycle } from '../../access/tokens/session.js';
import type { DomainEvent } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Lifecycle } from '../../stores/event-store/handle.js';
import { eraseStreams } from './erase-streams.js';
import type { RetentionPolicy } from './stream-retention.js';

export type SessionRetention = {
  readonly store: EventStore;
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

/** Deletes sessions `retentionMs` after they were revoked or expired. */
export const sessionRetention = ({ limits, ...common }: SessionRetention & { readonly limits: SessionExpiry }) =>
  retentionAfterEnd(common, 'session', sessionLifecycle, (session) => endOf(session, limits));

/** Deletes links to the portal `retentionMs` after they, or the session that they opened, expired. */
export const portalRetention = (common: SessionRetention) =>
  retentionAfterEnd(common, 'portal', portalLinkLifecycle, endOfLink);

/**
 * Deletes streams `retentionMs` after the end of what they describe, in milliseconds since 1970. The deletions are recorded in
 * events, which views and seals need.
 */
function retentionAfterEnd<State, Event extends DomainEvent>(
  { store, retentionMs, clock }: SessionRetention,
  category: string,
  lifecycle: Lifecycle<State, Event>,
  endOfState: (state: State) => number,
): RetentionPolicy {
  return {
    category,
    async prepareCheck() {
      const before = clock() - retentionMs;
      return async (last) => {
        const state = stateAfter(lifecycle, last);
        return state !== undefined && endOfState(state) < before;
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
function stateAfter<State, Event extends DomainEvent>(
  { codec, initialState, evolve }: Lifecycle<State, Event>,
  last: RecordedEvent,
): State | undefined {
  try {
    return evolve(initialState(), codec.decode(last));
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

function endOf(session: Session, limits: SessionExpiry): number {
  if (session.status === 'none') return Number.POSITIVE_INFINITY;
  const expiry = expiryOf(session, limits);
  return session.status === 'revoked' ? Math.min(Date.parse(session.revokedAt), expiry) : expiry;
}

const endOfLink = (link: PortalLink): number =>
  link.state === 'none' ? Number.POSITIVE_INFINITY : Date.parse(link.expiresAt);
