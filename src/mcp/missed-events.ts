import { readFeedRoute } from '../admin/api/contracts/feed.js';
import { startReplayRoute } from '../admin/api/contracts/replays.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { Caller } from '../admin/api/routing/admin-route.js';

type Interest = { orgId: string; name: string; filter: object | undefined };

/** Events since a cursor, for a subscription that begins again. */
export type Missed = {
  /** ISO 8601: time of the first one that is replayed; undefined: there is none. */
  from: string | undefined;
  /** Others are missing, or were too old. */
  truncated: boolean;
  /** Cursor at the end of the feed. */
  end: string;
};

/** Ceiling: a host that was away for longer begins with the events of this time. */
const maxAgeMs = 7 * 24 * 3_600_000;
const pageSize = '1000';
/** Gaps are looked for in so many pages; deletion by age leaves one at the beginning. */
const maxPages = 20;

/** Reads the feed after the cursor; undefined: from now on. Rejects with `InvalidRequest` for a cursor that is not one of the organisation's. */
export async function findMissed(
  api: AdminApi,
  { orgId, name, filter }: Interest,
  { cursor, maxAge, caller }: { cursor: string | undefined; maxAge: number | undefined; caller: Caller },
): Promise<Missed> {
  const after = (place: string, limit: string) => ({
    query: { orgId, type: name, after: place, limit, ...(filter && { filter: JSON.stringify(filter) }) },
  });
  const { next: end } = await api.call(readFeedRoute, after('end', '1'), caller);
  if (cursor === undefined) return { from: undefined, truncated: false, end };
  const oldest = Date.now() - Math.min(maxAge ?? maxAgeMs, maxAgeMs);
  let from: string | undefined;
  let truncated = false;
  for (let place = cursor, pages = 0; pages < maxPages; pages += 1) {
    const { items, next, more } = await api.call(readFeedRoute, after(place, pageSize), caller);
    const events = items.flatMap((item) => (item.kind === 'event' ? [item] : []));
    const recent = events.filter(({ recordedAt }) => Date.parse(recordedAt) >= oldest);
    truncated ||= events.length < items.length || recent.length < events.length;
    from ??= recent[0]?.recordedAt;
    if (!more) break;
    place = next;
  }
  return { from, truncated, end };
}

/** Sends what was missed to the new listener of the subscription. A repeat starts no second replay. */
export async function replayMissed(
  api: AdminApi,
  { orgId, name }: Interest,
  { listenerId, from, caller }: { listenerId: string; from: string; caller: Caller },
): Promise<void> {
  const body = { id: listenerId, orgId, listenerId, type: name, from, to: new Date().toISOString() };
  await api.call(startReplayRoute, { body }, { ...caller, role: 'operator', orgId: null, apiKey: undefined });
}
