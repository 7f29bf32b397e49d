import { readFeedRoute } from '../admin/api/contracts/feed.js';
import { showReplayRoute, startReplayRoute } from '../admin/api/contracts/replays.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { Caller } from '../admin/api/routing/admin-route.js';
import { ReplayNotFound } from '../admin/replays/replay.js';
import type { RouteAnswer } from '../http/route-contract.js';

type Interest = { orgId: string; name: string; filter: object | undefined };

/** Events since a cursor, for a subscription that begins again. */
export type Missed = {
  /** ISO 8601: time of the first one that is replayed; undefined: there is none. */
  from: string | undefined;
  /** Others are missing, or were too old. */
  truncated: boolean;
};

/** Ceiling: a host that was away for longer begins with the events of this time. */
const maxAgeMs = 7 * 24 * 3_600_000;
const pageSize = '1000';
/** Maximum number of pages in which gaps are looked for; deletion by age leaves one at the beginning. */
const maxPages = 20;

type Since = { cursor: string; maxAge: number | undefined; caller: Caller };

/** Cursor at the end of the feed. */
export async function endOfFeed(api: AdminApi, { orgId }: Interest, caller: Caller): Promise<string> {
  return (await api.call(readFeedRoute, { query: { orgId, after: 'end', limit: '1' } }, caller)).next;
}

/**
 * Reads the feed after the cursor. Events after too many others to look through are missing ones too, and are replayed all the same. Rejects
 * with `InvalidRequest` for a cursor that is not one of the organisation's.
 */
export async function findMissed(
  api: AdminApi,
  { orgId, name, filter }: Interest,
  { cursor, maxAge, caller }: Since,
): Promise<Missed> {
  const pageAfter = (place: string, selection: object | undefined, limit = pageSize) => {
    const query = { orgId, type: name, after: place, limit, ...(selection && { filter: JSON.stringify(selection) }) };
    return api.call(readFeedRoute, { query }, caller);
  };
  const oldest = Date.now() - Math.min(maxAge ?? maxAgeMs, maxAgeMs);
  let from: string | undefined;
  let truncated = false;
  for (let place = cursor, pages = 1; ; pages += 1) {
    const { items, next, more } = await pageAfter(place, filter);
    const events = items.flatMap(eventsIn);
    const recent = events.filter(({ recordedAt }) => Date.parse(recordedAt) >= oldest);
    truncated ||= events.length < items.length || recent.length < events.length;
    from ??= recent[0]?.recordedAt;
    if (!more) return { from, truncated };
    if (pages === maxPages) {
      const [unseen] = (await pageAfter(next, undefined, '1')).items.flatMap(eventsIn);
      return { from: from ?? laterOf(unseen?.recordedAt, oldest), truncated: true };
    }
    place = next;
  }
}

const eventsIn = (item: RouteAnswer<typeof readFeedRoute>['items'][number]) => (item.kind === 'event' ? [item] : []);

const laterOf = (time: string | undefined, ms: number): string =>
  new Date(Math.max(ms, time === undefined ? ms : Date.parse(time))).toISOString();

/** Sends what was missed to the new listener of the subscription. A repeat starts no second replay. */
export async function replayMissed(
  api: AdminApi,
  { orgId, name }: Interest,
  { listenerId, from, caller }: { listenerId: string; from: string; caller: Caller },
): Promise<void> {
  const body = { id: listenerId, orgId, listenerId, type: name, from, to: new Date().toISOString() };
  await api.call(startReplayRoute, { body }, { ...caller, role: 'operator', orgId: null, apiKey: undefined });
}

/** True while what was missed is not all enqueued for the listener. */
export async function isReplaying(api: AdminApi, listenerId: string, caller: Caller): Promise<boolean> {
  try {
    return (await api.call(showReplayRoute, { params: { id: listenerId } }, caller)).state === 'running';
  } catch (error) {
    if (error instanceof ReplayNotFound) return false;
    throw error;
  }
}
