import { type SessionEntry, sessions } from '../../../projections/sessions.js';
import type { Condition, ReadModel } from '../../stores/read-model/read-model.js';

/** Sessions that have all given properties. */
export type SessionFilter = {
  readonly orgId?: string | undefined;
  readonly userId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly state?: SessionEntry['state'] | undefined;
};

export type SessionPage = {
  /** In the order of their IDs; may be fewer than `limit` also where there is a next page. */
  readonly sessions: readonly SessionEntry[];
  /** `after` of the next page; undefined on the last page. */
  readonly next: string | undefined;
};

const pageSize = 1_000;

/** Maximum number of pages of the view that one page of the list may take, where the filter rejects most of them. */
const maxReads = 10;

/**
 * Lists sessions, from the view; `limit` 1 to 1,000. One that has expired is `active` until it is revoked or deleted. Throws
 * `StoreUnavailable` where the view is not built yet.
 */
export async function listSessions(
  readModel: ReadModel,
  filter: SessionFilter,
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<SessionPage> {
  const where = lookupOf(filter);
  const found: SessionEntry[] = [];
  let last = after;
  for (let reads = 0; reads < maxReads; reads += 1) {
    const page = await readModel.find(sessions, { where, limit: pageSize, ...(last !== undefined && { after: last }) });
    for (const { key, document } of page) {
      last = key;
      const session = document as SessionEntry; // the projection wrote it
      if (matches(session, filter)) found.push(session);
      if (found.length === limit) return { sessions: found, next: key };
    }
    if (page.length < pageSize) return { sessions: found, next: undefined };
  }
  return { sessions: found, next: last };
}

/** The part of a filter that an index of the view serves. */
function lookupOf({ orgId, userId, clientId }: SessionFilter): Readonly<Record<string, Condition>> {
  if (orgId !== undefined) return { orgId, ...(userId !== undefined && { userId }) };
  if (userId !== undefined) return { userId };
  return clientId === undefined ? {} : { clientId };
}

const matches = (session: SessionEntry, filter: SessionFilter): boolean =>
  isOf(session, filter) && session.state === (filter.state ?? session.state);

/** Whether a session has the organisation, user and client of a filter, as far as it has them. */
export const isOf = (
  session: Pick<SessionEntry, 'orgId' | 'userId' | 'clientId'>,
  { orgId, userId, clientId }: SessionFilter,
): boolean =>
  session.orgId === (orgId ?? session.orgId) &&
  session.userId === (userId ?? session.userId) &&
  session.clientId === (clientId ?? session.clientId);
