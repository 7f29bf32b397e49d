import { readFeedRoute } from '../admin/api/contracts/feed.js';
import { showReplayRoute, startReplayRoute } from '../admin/api/contracts/replays.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { Caller } from '../admin/api/routing/admin-route.js';
import { OutdatedCursor } from '../admin/feed/cursor.js';
import { ReplayNotFound } from '../admin/replays/replay.js';
import type { RouteAnswer } from '../http/route-contract.js';
import { InvalidRequest } from '../kernel/domain-error.js';

type Interest = { orgId: string; name: string; filter: object | undefined };

/** Events since a cursor, for a subscription that begins again. */
type Missed = {
  /** ISO 8601: earliest time of those that are replayed; undefined: there is none. */
  from: string | undefined;
  /** Others are missing, or were too old. */
  truncated: boolean;
  /** Place before those that are replayed; without any, the end of the feed. */
  cursor: string;
};

/** Ceiling: a host that was away for longer begins with the events of this time. */
const maxAgeMs = 7 * 24 * 3_600_000;
const pageSize = '1000';
/** Maximum number of pages in which gaps are looked for; deletion by age leaves one at the beginning. */
const maxPages = 20;

type Since = { cursor: string; maxAge: number | undefined; caller: Caller };

/** Cursor at the end of the feed. */
export const endOfFeed = async (api: AdminApi, interest: Interest, caller: Caller): Promise<string> =>
  (await firstAfter(api, interest, 'end', caller)).next;

/** The cursor of a host. Throws `InvalidRequest` for `end`, which is a word of the feed's route. */
export function hostCursor(text: string): string {
  if (text === 'end') throw new InvalidRequest('`cursor` is not a cursor of the events of this organisation');
  return text;
}

/** Rejects with `InvalidRequest` for a cursor that is not one of the organisation's. */
export async function requireCursor(
  api: AdminApi,
  interest: Interest,
  { cursor, caller }: Pick<Since, 'cursor' | 'caller'>,
): Promise<void> {
  await unlessOutdated(firstAfter(api, interest, hostCursor(cursor), caller));
}

/** Undefined for an outdated cursor: it counts as older than all that is replayed. */
export async function unlessOutdated<Result>(page: Promise<Result>): Promise<Result | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof OutdatedCursor) return undefined;
    throw error;
  }
}

const firstAfter = (api: AdminApi, { orgId }: Interest, after: string, caller: Caller) =>
  api.call(readFeedRoute, { query: { orgId, after, limit: '1' } }, caller);

/**
 * Reads the feed after the cursor. Events after too many others to look through are missing ones too, and are replayed all the same. Rejects
 * with `InvalidRequest` for a cursor that is not one of the organisation's.
 */
export async function findMissed(
  api: AdminApi,
  { orgId, name, filter }: Interest,
  { cursor, maxAge, caller }: Since,
): Promise<Missed> {
  const pageAfter = (place: string | undefined, selection: object | undefined, limit = pageSize) => {
    const filtered = selection && { filter: JSON.stringify(selection) };
    const query = { orgId, type: name, limit, ...(place !== undefined && { after: place }), ...filtered };
    return api.call(readFeedRoute, { query }, caller);
  };
  const oldest = Date.now() - Math.min(maxAge ?? maxAgeMs, maxAgeMs);
  let from: string | undefined;
  let before = cursor;
  let page = await unlessOutdated(pageAfter(cursor, filter));
  let truncated = !page;
  page ??= await pageAfter(undefined, filter);
  for (let pages = 1; ; pages += 1) {
    const { items, next, more }: typeof page = page;
    for (const item of items) {
      if (item.kind === 'event' && Date.parse(item.recordedAt) >= oldest) from = earlierOf(from, item.recordedAt);
      else truncated = true;
      if (from === undefined) before = item.cursor;
    }
    if (from === undefined) before = next;
    if (!more) return { from, truncated, cursor: before };
    if (pages === maxPages) {
      const [unseen] = (await pageAfter(next, undefined, '1')).items.flatMap(eventsIn);
      return { from: from ?? laterOf(unseen?.recordedAt, oldest), truncated: true, cursor: before };
    }
    page = await pageAfter(next, filter);
  }
}

const eventsIn = (item: RouteAnswer<typeof readFeedRoute>['items'][number]) => (item.kind === 'event' ? [item] : []);

/** Clocks differ: the first one by position need not be the earliest. */
const earlierOf = (time: string | undefined, other: string): string =>
  time !== undefined && Date.parse(time) <= Date.parse(other) ? time : other;

const laterOf = (time: string | undefined, ms: number): string =>
  new Date(Math.max(ms, time === undefined ? ms : Date.parse(time))).toISOString();

/**
 * Sends to the listener of the subscription what was missed since the cursor. Returns where its host continues. A repeat starts no second
 * replay. Rejects as `findMissed`.
 */
export async function replayMissed(
  api: AdminApi,
  interest: Interest,
  { listenerId, ...since }: Since & { listenerId: string },
): Promise<Pick<Missed, 'cursor' | 'truncated'>> {
  const { from, truncated, cursor } = await findMissed(api, interest, since);
  if (from === undefined) return { cursor, truncated };
  const { orgId, name } = interest;
  const body = { id: listenerId, orgId, listenerId, type: name, from };
  const caller: Caller = { ...since.caller, role: 'operator', orgId: null, apiKey: undefined };
  const replay = await api.call(startReplayRoute, { body }, caller).catch(async (error: unknown) => {
    const other = await replayOf(api, listenerId, since.caller);
    if (other) return other; // a concurrent request began with another event
    throw error;
  });
  const isLater = replay.from !== null && Date.parse(replay.from) > Date.parse(from);
  return { cursor, truncated: truncated || isLater };
}

/** The replay of what a listener's host had missed before it came back; undefined: none has been started. */
export async function replayOf(
  api: AdminApi,
  listenerId: string,
  caller: Caller,
): Promise<RouteAnswer<typeof showReplayRoute> | undefined> {
  try {
    return await api.call(showReplayRoute, { params: { id: listenerId } }, caller);
  } catch (error) {
    if (error instanceof ReplayNotFound) return undefined;
    throw error;
  }
}
