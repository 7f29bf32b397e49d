import { requireTimeRange } from '../../kernel/require-time-range.js';
import { listenerStream } from '../../registrations/listeners/listener.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, JsonObject, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import type { FindStreams } from './organisation-streams.js';
import { type AuditedCategory, type Facts, type Fold, foldOf, foldOfService, serviceStreams } from './stream-fold.js';

/** One event of an organisation, as the audit shows it. */
export type AuditEntry = {
  /** ISO 8601: `recordedAt`. */
  readonly at: string;
  readonly type: string;
  /** `user:42`, `admin:ops`; null where the event names no actor. */
  readonly actor: string | null;
  readonly causationId: string | null;
  readonly correlationId: string | null;
  readonly orgId: string | null;
  readonly userId: string | null;
  readonly listenerId: string | null;
  readonly hookUrl: string | null;
  readonly sessionId: string | null;
  readonly before: Facts;
  readonly after: Facts;
  /** The reason, if the event gives one. */
  readonly reason: string | null;
  /** Why the event cannot be decoded, in which case `after` equals `before`; null where it can. */
  readonly undecodable: string | null;
  /** Place of the event. The position is specific to this store; the other fields are the same in every copy. */
  readonly stream: string;
  readonly revision: string;
  readonly eventId: string;
  readonly position: string;
};

export type HistoryQuery = {
  readonly orgId: string;
  /** Only events of this hook; normalised. */
  readonly hookUrl?: string | undefined;
  /** Only events of this listener. */
  readonly listenerId?: string | undefined;
  /** Also events of sessions: of this user, or with `true` of all users. */
  readonly user?: string | true | undefined;
  /** Only events recorded from `from` to `to`, both inclusive. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** Entries after this position, at most `limit` of them; without them: all. */
export type HistoryRange = { readonly after?: bigint | undefined; readonly limit?: number | undefined };

/** Categories of registrations, and of the tasks and settings that decide about them. */
const registrationCategories: readonly AuditedCategory[] = ['listener', 'integrationTask', 'organisation'];

/** Every category that a query may read. */
export const historyCategories: readonly AuditedCategory[] = [...registrationCategories, 'session'];

/**
 * The events of an organisation's registrations, read from its streams, in the order of their positions.
 * Keeps at most twice `limit` entries in memory. Throws the errors of the store and of `findStreams`,
 * and `InvalidRequest` if `from` is later than `to`.
 */
export async function auditHistory(
  store: EventStore,
  findStreams: FindStreams,
  query: HistoryQuery,
  range: HistoryRange = {},
): Promise<readonly AuditEntry[]> {
  requireTimeRange({ from: query.from?.getTime(), to: query.to?.getTime() });
  const streams = (await streamsOf(findStreams, query)).map(([stream, category]) => ({
    stream,
    fold: foldOf(category),
  }));
  return firstEntries(store, streams, (entry) => isMeant(entry, query), range);
}

/** The events about the service as a whole, such as its keys: as `auditHistory`. */
export async function serviceHistory(
  store: EventStore,
  { from, to }: Pick<HistoryQuery, 'from' | 'to'>,
  range: HistoryRange = {},
): Promise<readonly AuditEntry[]> {
  requireTimeRange({ from: from?.getTime(), to: to?.getTime() });
  const streams = serviceStreams.map((stream) => ({ stream, fold: foldOfService(stream) }));
  return firstEntries(store, streams, (entry) => isWithin(entry, { from, to }), range);
}

type Folding = { readonly stream: string; readonly fold: Fold };

async function firstEntries(
  store: EventStore,
  streams: readonly Folding[],
  isWanted: (entry: AuditEntry) => boolean,
  { after = -1n, limit = Number.POSITIVE_INFINITY }: HistoryRange,
): Promise<readonly AuditEntry[]> {
  let entries: { readonly position: bigint; readonly entry: AuditEntry }[] = [];
  const keepFirst = () => {
    entries = entries.sort((one, other) => (one.position < other.position ? -1 : 1)).slice(0, limit);
  };
  for (const each of streams) {
    for await (const found of entriesOf(store, each)) {
      if (found.position <= after || !isWanted(found.entry)) continue;
      entries.push(found);
      if (entries.length >= 2 * limit) keepFirst();
    }
  }
  keepFirst();
  return entries.map(({ entry }) => entry);
}

/** The smallest set of streams that contains the answer. The name of a hook's stream follows from its URL. */
async function streamsOf(
  findStreams: FindStreams,
  { orgId, hookUrl, listenerId, user }: HistoryQuery,
): Promise<readonly (readonly [stream: string, category: AuditedCategory])[]> {
  const inCategory = async (category: AuditedCategory) =>
    (await findStreams(orgId, category)).map((stream) => [stream, category] as const);
  const sessions = user === undefined ? [] : await inCategory('session');
  if (hookUrl !== undefined) return [[listenerStream(orgId, hookUrl), 'listener'], ...sessions];
  const streams = [];
  const categories: readonly AuditedCategory[] = listenerId === undefined ? registrationCategories : ['listener'];
  for (const category of categories) streams.push(...(await inCategory(category)));
  return [...streams, ...sessions];
}

function isWithin(entry: AuditEntry, { from, to }: Pick<HistoryQuery, 'from' | 'to'>): boolean {
  const at = Date.parse(entry.at);
  return !((from && at < from.getTime()) || (to && at > to.getTime()));
}

function isMeant(entry: AuditEntry, { listenerId, user, from, to }: HistoryQuery): boolean {
  if (!isWithin(entry, { from, to })) return false;
  if (entry.sessionId !== null) return user === true || entry.userId === user;
  return listenerId === undefined || entry.listenerId === listenerId;
}

async function* entriesOf(store: EventStore, { stream, fold }: Folding) {
  // Absent where it was never registered, or was erased since it was found.
  for await (const event of readIfExists(store.readStream(stream))) {
    yield { position: event.position, entry: entryOf(event, folded(fold, event)) };
  }
}

type Folded = Pick<AuditEntry, 'before' | 'after' | 'undecodable'> & { readonly data: JsonObject };

/** An event that cannot be decoded becomes an entry that says so: it must not hide the other events. */
function folded(fold: Fold, event: RecordedEvent): Folded {
  try {
    const step = fold.step(event);
    return { before: step.before, after: step.after, undecodable: null, data: step.event.data as JsonObject };
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    const data = typeof event.data === 'object' && event.data !== null ? (event.data as JsonObject) : {};
    return { before: fold.facts(), after: fold.facts(), undecodable: error.message, data };
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function entryOf(event: RecordedEvent, { data, before, after, undecodable }: Folded): AuditEntry {
  const metadata = (event.metadata ?? {}) as JsonObject; // fields are checked before use
  return {
    at: recordedAt(event),
    type: event.type,
    actor: textOrNull(metadata.actor),
    causationId: textOrNull(metadata.$causationId),
    correlationId: textOrNull(metadata.$correlationId),
    orgId: textOrNull(data.orgId),
    userId: textOrNull(data.userId),
    listenerId: textOrNull(data.listenerId),
    hookUrl: textOrNull(data.hookUrl),
    sessionId: textOrNull(data.sessionId),
    before,
    after,
    reason: textOrNull(data.reason),
    undecodable,
    stream: event.stream,
    revision: event.revision.toString(),
    eventId: event.id,
    position: event.position.toString(),
  };
}
