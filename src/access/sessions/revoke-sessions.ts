import pLimit from 'p-limit';
import type { SessionEvent } from '../../events/session-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { revokeSession } from '../tokens/revoke-session.js';
import { type Session, type SessionFacts, sessionDecider, sessionStream } from '../tokens/session.js';
import { SessionNotFound } from './errors.js';
import { isOf, listSessions, type SessionFilter } from './find-sessions.js';

export type RevokeSessionsDependencies = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  /** Resolves once the view of sessions has processed all present events. */
  readonly sessionsCaughtUp: () => Promise<void>;
};

/** One session, or all that have the given properties, of which there is at least one. */
export type RevokeSessions = Omit<SessionFilter, 'state'> & { readonly sessionId?: string | undefined };

export type RevokedSessions = {
  /** Those that this call has revoked. */
  readonly sessions: readonly SessionFacts[];
  /** `after` of the next call; undefined if no others match. */
  readonly next: string | undefined;
};

/** Maximum number of sessions that one call revokes, so that a request is answered in time. */
const pageSize = 500;
const concurrency = 16;

/**
 * Revokes sessions, at most 500; the call is repeated with `next`. Each is refused at once on every instance, because its stream is
 * read at each check. Sessions that begin meanwhile may be left. A repeat revokes the rest. Throws `InvalidRequest` without a
 * property, `SessionNotFound`, and `StoreUnavailable`, also where the view is not up to date.
 */
export async function revokeSessions(
  { store, readModel, sessionsCaughtUp }: RevokeSessionsDependencies,
  { sessionId, ...filter }: RevokeSessions,
  { cause, now, after }: { readonly cause: Cause; readonly now: Date; readonly after?: string | undefined },
): Promise<RevokedSessions> {
  const revoke = (id: string): Promise<Handled<Session, SessionEvent>> =>
    handle(
      store,
      sessionStream(id),
      sessionDecider,
      (session) => {
        if (session.status === 'none') throw new SessionNotFound(id);
        // The view may be older than the session, which may have got its client since.
        return isOf(session, filter) ? revokeSession({ reason: 'operator', now }, session) : [];
      },
      { cause, now },
    );
  if (sessionId !== undefined) return { sessions: revokedOf([await revoke(sessionId)]), next: undefined };
  if (Object.values(filter).every((value) => value === undefined)) {
    throw new InvalidRequest('name a session, an organisation, a user or a client');
  }
  if (after === undefined) await sessionsCaughtUp();
  const page = await listSessions(readModel, { ...filter, state: 'active' }, { after, limit: pageSize });
  const limit = pLimit(concurrency);
  const handled = await Promise.all(page.sessions.map((each) => limit(() => revoke(each.sessionId))));
  return { sessions: revokedOf(handled), next: page.next };
}

const revokedOf = (handled: readonly Handled<Session, SessionEvent>[]): readonly SessionFacts[] =>
  handled.flatMap(({ state, events }) => (events.length > 0 && state.status !== 'none' ? [state] : []));
