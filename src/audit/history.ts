import type { z } from 'zod';
import { requireTimeRange } from '../kernel/input/parse-input.js';
import { timeSlice } from '../kernel/time-slice.js';
import { listenerStream } from '../listeners/listener.js';
import {
  categoryOf,
  type EventStore,
  type RecordedEvent,
  type StreamReader,
} from '../stores/event-store/event-store.js';
import { readIfExists } from '../stores/event-store/read-if-exists.js';
import { withActorNames } from './actor-names.js';
import { type AuditEntry, type AuditedCategory, entriesOf, foldOf, isWithin, nextEntry } from './audit-entry.js';
import type { historyRequest } from './contract.js';
import type { FindStreams, PageOfChanges } from './find-streams.js';

export type HistoryQuery = z.output<z.ZodObject<typeof historyRequest>>;

/** `after`: exclusive, in the given order. */
export type HistoryRange = {
  after?: bigint;
  limit?: number;
  first?: 'oldest' | 'newest';
};

export const listenerCategories = [
  'listener',
  'integrationTask',
  'organisation',
  'apiKey',
] as const satisfies readonly AuditedCategory[];

/** A forwarding ends soon, and is no difference between two moments. */
const organisationCategories: readonly AuditedCategory[] = [...listenerCategories, 'forwarding'];
const userCategories: readonly AuditedCategory[] = ['session', 'consent', 'portal'];

export const historyCategories: readonly AuditedCategory[] = [...organisationCategories, ...userCategories];

/**
 * Events by position; at most twice `limit` entries are in memory. Throws the errors of the store and of `findStreams`,
 * and `InvalidRequest` if `from` is later than `to`.
 */
export async function auditHistory(
  store: EventStore,
  findStreams: FindStreams,
  query: HistoryQuery,
  { after, limit = Number.POSITIVE_INFINITY, first = 'oldest' }: HistoryRange = {},
): Promise<readonly AuditEntry[]> {
  requireTimeRange({ from: query.from?.getTime(), to: query.to?.getTime() });
  let entries: { position: bigint; entry: AuditEntry }[] = [];
  const comesBefore = (one: bigint, other: bigint) => (first === 'oldest' ? one < other : one > other);
  const keepFirst = () => {
    entries = entries.sort((one, other) => (comesBefore(one.position, other.position) ? -1 : 1)).slice(0, limit);
  };
  const page = Number.isFinite(limit) ? { ...query, listenerId: query.listenerId, after, limit, first } : undefined;
  const slice = timeSlice();
  for (const [stream, category] of await streamsOf(findStreams, query, page)) {
    for await (const found of entriesOf(store, stream, foldOf(category))) {
      if (slice.hasEnded()) await slice.next();
      const isOnPage = after === undefined || comesBefore(after, found.position);
      if (!isOnPage || !isMeant(found.entry, query)) continue;
      entries.push(found);
      if (entries.length >= 2 * limit) keepFirst();
    }
  }
  keepFirst();
  return withActorNames(
    store,
    entries.map(({ entry }) => entry),
  );
}

/** The fewest streams: a listener's stream name follows from its URL. */
async function streamsOf(
  findStreams: FindStreams,
  { orgId, hookUrl, listenerId, user }: HistoryQuery,
  page: PageOfChanges | undefined,
): Promise<readonly (readonly [stream: string, category: AuditedCategory])[]> {
  const inCategory = async (category: AuditedCategory) =>
    (await findStreams(orgId, category, page)).map((stream) => [stream, category] as const);
  const ofUsers = [];
  for (const category of user === undefined ? [] : userCategories) ofUsers.push(...(await inCategory(category)));
  if (hookUrl !== undefined) return [[listenerStream(orgId, hookUrl), 'listener'], ...ofUsers];
  const streams = [];
  const categories: readonly AuditedCategory[] = listenerId === undefined ? organisationCategories : ['listener'];
  for (const category of categories) streams.push(...(await inCategory(category)));
  return [...streams, ...ofUsers];
}

function isMeant(entry: AuditEntry, { listenerId, user, ...range }: HistoryQuery): boolean {
  if (!isWithin(entry, range)) return false;
  if (isOfUser(entry)) return user === true || userOf(entry) === user;
  return listenerId === undefined || entry.listenerId === listenerId;
}

/** User of an entry; in the portal, the person for whom the link was made. */
const userOf = ({ userId, after, before }: AuditEntry): unknown => userId ?? (after ?? before)?.actor;

const isOfUser = ({ stream }: AuditEntry): boolean => userCategories.some((each) => each === categoryOf(stream));

type StreamTimeline = {
  entries: readonly AuditEntry[];
  /** The `before` of the next page; undefined: last page. */
  next: bigint | undefined;
};

/**
 * Reads backwards, so that a page costs the same at any length. `before`: exclusive revision. Throws the store's
 * errors.
 */
export async function streamTimeline(
  store: StreamReader,
  category: AuditedCategory,
  stream: string,
  { before, limit }: { before?: bigint; limit: number },
): Promise<StreamTimeline> {
  if (before === 0n) return { entries: [], next: undefined };
  const events: RecordedEvent[] = [];
  // One more: its state shows what the next event changed.
  const range = {
    direction: 'backwards',
    limit: limit + 1,
    from: before && before - 1n,
  } as const;
  for await (const event of readIfExists(store.readStream(stream, range))) events.push(event);
  const fold = foldOf(category);
  const entries = events.reverse().map((event) => nextEntry(fold, event));
  const hasMore = entries.length > limit;
  const shown = hasMore ? entries.slice(1) : entries;
  const oldest = shown[0];
  const named = await withActorNames(store, shown.reverse());
  return { entries: named, next: hasMore && oldest ? BigInt(oldest.revision) : undefined };
}
