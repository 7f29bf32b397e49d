import type Database from 'better-sqlite3';
import { maxPosition } from '../../../kernel/input/parse-input.js';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import type {
  BeginningQuery,
  DeliveryLog,
  KnownEvent,
  KnownEventsQuery,
  LatestEventsQuery,
  ListedEvent,
} from '../../queue/delivery-log.js';
import { endOfBeginning } from '../../queue/delivery-log.js';
import type { InTransaction } from '../shared.js';

type KnownEvents = InTransaction<
  Pick<DeliveryLog, 'body' | 'knownEvent' | 'knownEvents' | 'latestEvents' | 'eventsByBeginning'>
>;

type ListedRow = KnownEvent & { recordedAt: bigint | null; publishedId: string | null };

const columns = 'org_id AS orgId, event_id AS eventId, type, position';
const listedColumns = `${columns}, recorded_at AS recordedAt, published_id AS publishedId`;

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
      `SELECT ${listedColumns} FROM messages
       WHERE org_id = @orgId AND position >= 0 AND position < @before ORDER BY position DESC, key DESC ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  const found = (condition: string, order: string, select = 'SELECT') =>
    `${select} ${listedColumns} FROM messages JOIN
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
  const body = database
    .prepare<[string, string], string | null>('SELECT body FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  return {
    body: (orgId, eventId) => body.get(orgId, eventId) ?? undefined,
    knownEvent: (orgId, eventId) => find.get(orgId, eventId),
    knownEvents: (query) => list.all(query),
    latestEvents: ({ before = maxPosition, term, ...query }) =>
      (term === undefined ? latest.all({ ...query, before }) : ofTerm.all({ ...query, before, term })).map(toListed),
    eventsByBeginning: (query) => byBeginning.all({ ...query, end: endOfBeginning(query.beginning) }).map(toListed),
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt === null ? undefined : Number(recordedAt),
  publishedId: publishedId ?? undefined,
});
