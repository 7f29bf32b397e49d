import type Database from 'better-sqlite3';
import { maxPosition } from '../../../kernel/input/parse-position.js';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { KnownEvent, KnownEventsQuery, LatestEventsQuery, ListedEvent } from '../../queue/delivery-log.js';

/** The flow events that the queue has a message of. */
export type KnownEvents = {
  readonly body: (orgId: string, eventId: string) => string | undefined;
  readonly find: (orgId: string, eventId: string) => KnownEvent | undefined;
  readonly list: (query: KnownEventsQuery) => readonly KnownEvent[];
  readonly latest: (query: LatestEventsQuery) => readonly ListedEvent[];
};

type ListedRow = KnownEvent & { readonly recordedAt: bigint | null; readonly publishedId: string | null };

const columns = 'org_id AS orgId, event_id AS eventId, type, position';

export function openKnownEvents(database: Database.Database): KnownEvents {
  const find = database
    .prepare<[string, string], KnownEvent>(`SELECT ${columns} FROM messages WHERE org_id = ? AND event_id = ?`)
    .safeIntegers(true);
  const list = database
    .prepare<[KnownEventsQuery], KnownEvent>(
      `SELECT ${columns} FROM messages WHERE org_id = @orgId AND position > @after AND position <= @upTo
       ORDER BY position, key ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const latest = database
    .prepare<[LatestEventsQuery], ListedRow>(
      `SELECT ${columns}, recorded_at AS recordedAt, published_id AS publishedId FROM messages
       WHERE org_id = @orgId AND position >= 0 AND position < @before ORDER BY position DESC, key DESC ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const body = database
    .prepare<[string, string], string | null>('SELECT body FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  return {
    body: (orgId, eventId) => body.get(orgId, eventId) ?? undefined,
    find: (orgId, eventId) => find.get(orgId, eventId),
    list: (query) => list.all(query),
    latest: ({ before = maxPosition, ...query }) => latest.all({ ...query, before }).map(toListed),
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt === null ? undefined : Number(recordedAt),
  publishedId: publishedId ?? undefined,
});
