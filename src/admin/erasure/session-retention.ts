import { randomUUID } from 'node:crypto';
import { type PortalLink, portalLinkDecider } from '../../access/portal/portal-link.js';
import { expiryOf, type Session, type SessionExpiry, sessionDecider } from '../../access/tokens/session.js';
import type { DomainEvent } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Decider } from '../../stores/event-store/handle.js';
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
  retentionAfterEnd(common, 'session', sessionDecider, (session) => endOf(session, limits));

/** Deletes links to the portal `retentionMs` after they, or the session that they opened, expired. */
export const portalRetention = (common: SessionRetention) =>
  retentionAfterEnd(common, 'portal', portalLinkDecider, endOfLink);

/**
 * Deletes streams `retentionMs` after the end of what they describe, in milliseconds since 1970. The deletions are recorded in
 * events, which views and seals need.
 */
function retentionAfterEnd<State, Event extends DomainEvent>(
  { store, retentionMs, clock }: SessionRetention,
  category: string,
  decider: Decider<State, Event>,
  endOfState: (state: State) => number,
): RetentionPolicy {
  return {
    category,
    async prepareCheck() {
      const before = clock() - retentionMs;
      return async (last) => {
        const state = stateAfter(decider, last);
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
  { codec, initialState, evolve }: Decider<State, Event>,
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
