import pLimit from 'p-limit';
import { z } from 'zod';
import { type SessionEntry, sessions } from '../../../projections/sessions.js';
import type { SessionEvent } from '../../events/session-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { defined } from '../../kernel/input/defined.js';
import { opaqueId, uuidParameter } from '../../kernel/input/texts.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import { findPage } from '../../views/find-page.js';
import type { Condition, ReadModel } from '../../views/read-model.js';
import { SessionNotFound } from '../errors.js';
import { type Session, type SessionFacts, sessionDecider, sessionStream } from '../tokens/session.js';
import { revokeSession } from '../tokens/session-commands.js';

const properties = {
  orgId: opaqueId.optional(),
  userId: opaqueId.optional(),
  clientId: z.string().min(1).max(256).optional(),
};

export const listSessionsRequest = { ...properties, state: z.enum(['active', 'revoked']).optional() };

export const revokeSessionsRequest = {
  ...properties,
  sessionId: uuidParameter('must be the ID of a session').optional(),
};

export type SessionFilter = {
  orgId?: string;
  userId?: string;
  clientId?: string;
  state?: SessionEntry['state'];
};

type SessionPage = {
  /** Sessions in the order of their IDs; may be fewer than `limit` also where there is a next page. */
  sessions: readonly SessionEntry[];
  next: string | undefined;
};

/**
 * `limit` 1 to 1,000. Expired sessions are `active` until revoked or deleted. Throws `StoreUnavailable` where the view
 * is not built yet.
 */
export async function listSessions(
  readModel: ReadModel,
  filter: SessionFilter,
  { after, limit = 100 }: { after?: string; limit?: number } = {},
): Promise<SessionPage> {
  const { items, next } = await findPage<SessionEntry>(readModel, sessions, {
    where: lookupOf(filter),
    isSelected: (session) => matches(session, filter),
    limit,
    after,
  });
  return { sessions: items, next };
}

function lookupOf({ orgId, userId, clientId }: SessionFilter): Readonly<Record<string, Condition>> {
  if (orgId !== undefined) return { orgId, ...defined({ userId }) };
  if (userId !== undefined) return { userId };
  return clientId === undefined ? {} : { clientId };
}

const matches = (session: SessionEntry, filter: SessionFilter): boolean =>
  isOf(session, filter) && session.state === (filter.state ?? session.state);

const isOf = (
  session: Pick<SessionEntry, 'orgId' | 'userId' | 'clientId'>,
  { orgId, userId, clientId }: SessionFilter,
): boolean =>
  session.orgId === (orgId ?? session.orgId) &&
  session.userId === (userId ?? session.userId) &&
  session.clientId === (clientId ?? session.clientId);

export type RevokeSessionsDependencies = {
  store: EventStore;
  readModel: ReadModel;
  sessionsCaughtUp: () => Promise<void>;
};

/** One session, or all that have the given properties, of which there is at least one. */
export type RevokeSessions = Omit<SessionFilter, 'state'> & { sessionId?: string };

type RevokedSessions = {
  /** Revoked by this call. */
  sessions: readonly SessionFacts[];
  next: string | undefined;
};

/** Maximum number of sessions that one call revokes, so that a request is answered in time. */
const maxRevoked = 500;
const concurrency = 16;

/**
 * Repeat with `next`. Sessions that begin meanwhile may be left. Throws `InvalidRequest` without a property,
 * `SessionNotFound`, and `StoreUnavailable`, also where the view is not up to date.
 */
export async function revokeSessions(
  { store, readModel, sessionsCaughtUp }: RevokeSessionsDependencies,
  { sessionId, ...filter }: RevokeSessions,
  { cause, now, after }: { cause: Cause; now: Date; after?: string },
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
  const page = await listSessions(readModel, { ...filter, state: 'active' }, { after, limit: maxRevoked });
  const limit = pLimit(concurrency);
  const handled = await Promise.all(page.sessions.map((each) => limit(() => revoke(each.sessionId))));
  return { sessions: revokedOf(handled), next: page.next };
}

const revokedOf = (handled: readonly Handled<Session, SessionEvent>[]): readonly SessionFacts[] =>
  handled.flatMap(({ state, events }) => (events.length > 0 && state.status !== 'none' ? [state] : []));

/** Session without the hashes of its tokens. */
export const revokedSummary = ({ sessionId, orgId, userId, clientId, issuedAt, rotatedAt }: SessionFacts) => ({
  sessionId,
  orgId,
  userId,
  clientId,
  issuedAt,
  rotatedAt,
});
