import type Database from 'better-sqlite3';
import { maxPosition } from '../../../kernel/input/parse-input.js';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import type {
  DeliveryLog,
  KnownEvent,
  KnownEventsQuery,
  LatestEventsQuery,
  ListedEvent,
} from '../../queue/delivery-log.js';
import type { InTransaction } from '../shared.js';

type KnownEvents = InTransaction<Pick<DeliveryLog, 'body' | 'knownEvent' | 'knownEvents' | 'latestEvents'>>;

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
    knownEvent: (orgId, eventId) => find.get(orgId, eventId),
    knownEvents: (query) => list.all(query),
    latestEvents: ({ before = maxPosition, ...query }) => latest.all({ ...query, before }).map(toListed),
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt === null ? undefined : Number(recordedAt),
  publishedId: publishedId ?? undefined,
});
