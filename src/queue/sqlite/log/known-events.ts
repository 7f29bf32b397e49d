import type Database from 'better-sqlite3';
import { maxPosition } from '../../../kernel/input/parse-input.js';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import {
  type BeginningQuery,
  type DeliveryLog,
  type EventsQuery,
  endOfBeginning,
  type KnownEvent,
  type KnownEventsQuery,
  type LatestEventsQuery,
  type ListedEvent,
} from '../../delivery-log.js';
import type { InTransaction } from '../shared.js';

type KnownEvents = InTransaction<Pick<DeliveryLog, 'events'>>;

type ListedRow = KnownEvent & { recordedAt: bigint | null; publishedId: string | null; body?: string | null };

const columns = `org_id AS orgId, event_id AS eventId, type, position, recorded_at AS recordedAt,
  published_id AS publishedId`;

export function openKnownEvents(database: Database.Database): KnownEvents {
  const find = database
    .prepare<[string, string], ListedRow>(`SELECT ${columns}, body FROM messages WHERE org_id = ? AND event_id = ?`)
    .safeIntegers(true);
  const list = database
    .prepare<[KnownEventsQuery], ListedRow>(
      `SELECT ${columns} FROM messages WHERE org_id = @orgId AND position > @after AND position <= @upTo
       ORDER BY position, key ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const latest = database
    .prepare<[LatestEventsQuery], ListedRow>(
      `SELECT ${columns} FROM messages
       WHERE org_id = @orgId AND position >= 0 AND position < @before ORDER BY position DESC, key DESC ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const found = (condition: string, order: string, select = 'SELECT') =>
    `${select} ${columns} FROM messages JOIN
       (SELECT position AS at, message FROM search_terms WHERE org_id = @orgId AND ${condition} ORDER BY ${order} ${limitBy('@limit')})
     ON key = message ORDER BY at DESC, key DESC`;
  const ofTerm = database
    .prepare<[LatestEventsQuery], ListedRow>(
      found('term = @term AND position >= 0 AND position < @before', 'position DESC, message DESC'),
    )
    .safeIntegers(true);
  const byBeginning = database
    .prepare<[BeginningQuery & { end: string }], ListedRow>(
      found('term >= @beginning AND term < @end AND position >= 0', 'term, position DESC', 'SELECT DISTINCT'),
    )
    .safeIntegers(true);

  function rowsOf(query: EventsQuery): readonly ListedRow[] {
    if ('eventId' in query) return find.all(query.orgId, query.eventId);
    if ('upTo' in query) return list.all(query);
    if ('beginning' in query) return byBeginning.all({ ...query, end: endOfBeginning(query.beginning) });
    const { before = maxPosition, term, ...rest } = query;
    return term === undefined ? latest.all({ ...rest, before }) : ofTerm.all({ ...rest, before, term });
  }

  return {
    events: (query) => rowsOf(query).map(toListed),
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt === null ? undefined : Number(recordedAt),
  publishedId: publishedId ?? undefined,
});
