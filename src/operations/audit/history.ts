import { requireTimeRange } from '../../kernel/input/require-time-range.js';
import { listenerStream } from '../../registrations/listeners/listener.js';
import { categoryOf, type EventStore } from '../../stores/event-store/event-store.js';
import { type AuditEntry, entriesOf, isWithin, type TimeRange } from './audit-entry.js';
import type { FindStreams } from './organisation-streams.js';
import { type AuditedCategory, foldOf } from './stream-fold.js';

export type HistoryQuery = TimeRange & {
  readonly orgId: string;
  /** Only events of this hook; normalised. */
  readonly hookUrl?: string | undefined;
  /** Only events of this listener. */
  readonly listenerId?: string | undefined;
  /** Also events of sessions and consents: of this user, or with `true` of all users. */
  readonly user?: string | true | undefined;
};

/** Entries after this position, at most `limit` of them; without them: all. */
export type HistoryRange = { readonly after?: bigint | undefined; readonly limit?: number | undefined };

/** Categories of registrations, of the tasks and settings that decide about them, and of the keys with which they are changed. */
export const registrationCategories = [
  'listener',
  'integrationTask',
  'organisation',
  'apiKey',
] as const satisfies readonly AuditedCategory[];

/** Categories of users. */
const userCategories: readonly AuditedCategory[] = ['session', 'consent'];

/** Every category that a query may read. */
export const historyCategories: readonly AuditedCategory[] = [...registrationCategories, ...userCategories];

/**
 * The events of an organisation's registrations and API keys, read from its streams, in the order of their positions.
 * Keeps at most twice `limit` entries in memory. Throws the errors of the store and of `findStreams`,
 * and `InvalidRequest` if `from` is later than `to`.
 */
export async function auditHistory(
  store: EventStore,
  findStreams: FindStreams,
  query: HistoryQuery,
  { after = -1n, limit = Number.POSITIVE_INFINITY }: HistoryRange = {},
): Promise<readonly AuditEntry[]> {
  requireTimeRange({ from: query.from?.getTime(), to: query.to?.getTime() });
  let entries: { readonly position: bigint; readonly entry: AuditEntry }[] = [];
  const keepFirst = () => {
    entries = entries.sort((one, other) => (one.position < other.position ? -1 : 1)).slice(0, limit);
  };
  for (const [stream, category] of await streamsOf(findStreams, query)) {
    for await (const found of entriesOf(store, stream, foldOf(category))) {
      if (found.position <= after || !isMeant(found.entry, query)) continue;
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
  const ofUsers = [];
  for (const category of user === undefined ? [] : userCategories) ofUsers.push(...(await inCategory(category)));
  if (hookUrl !== undefined) return [[listenerStream(orgId, hookUrl), 'listener'], ...ofUsers];
  const streams = [];
  const categories: readonly AuditedCategory[] = listenerId === undefined ? registrationCategories : ['listener'];
  for (const category of categories) streams.push(...(await inCategory(category)));
  return [...streams, ...ofUsers];
}

function isMeant(entry: AuditEntry, { listenerId, user, ...range }: HistoryQuery): boolean {
  if (!isWithin(entry, range)) return false;
  if (isOfUser(entry)) return user === true || entry.userId === user;
  return listenerId === undefined || entry.listenerId === listenerId;
}

const isOfUser = ({ stream }: AuditEntry): boolean => userCategories.some((each) => each === categoryOf(stream));
