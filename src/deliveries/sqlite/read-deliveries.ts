import type Database from 'better-sqlite3';
import type { DeliveryCounts, DeliveryQuery, DeliveryRecord, DeliveryState } from '../delivery-queue.js';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

type Row = Omit<DeliveryRecord, 'state' | Nullable> & { readonly state: number } & {
  readonly [Column in Nullable]: NonNullable<DeliveryRecord[Column]> | null;
};
type Nullable = 'dueAt' | 'lastStatus' | 'lastError' | 'lastAttemptAt';

const states = new Map<number, DeliveryState>(
  Object.entries(stateNumbers).map(([state, number]) => [number, state as DeliveryState]), // they are its keys
);

const columns = `deliveries.id, deliveries.webhook_id AS webhookId, messages.org_id AS orgId,
  messages.event_id AS eventId, listeners.listener_id AS listenerId, deliveries.state, deliveries.attempts,
  deliveries.due_at AS dueAt, deliveries.enqueued_at AS enqueuedAt, deliveries.last_status AS lastStatus,
  deliveries.last_error AS lastError, deliveries.last_attempt_at AS lastAttemptAt`;

/** CROSS JOIN fixes the order of the loops, so that each walks an index backwards and stops at the limit. */
function listQuery({ eventId, listenerId }: DeliveryQuery): string {
  const from =
    listenerId === undefined || eventId !== undefined
      ? `messages CROSS JOIN deliveries ON deliveries.message = messages.key
         CROSS JOIN listeners ON listeners.key = deliveries.listener`
      : `listeners CROSS JOIN deliveries ON deliveries.listener = listeners.key
         CROSS JOIN messages ON messages.key = deliveries.message`;
  const conditions = [
    'messages.org_id = @orgId',
    ...(eventId === undefined ? [] : ['messages.event_id = @eventId']),
    ...(listenerId === undefined ? [] : ['listeners.listener_id = @listenerId']),
  ];
  return `SELECT ${columns} FROM ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY deliveries.message DESC, deliveries.key DESC LIMIT @limit`;
}

export type DeliveryReader = {
  readonly counts: (now: number) => DeliveryCounts;
  readonly list: (query: DeliveryQuery) => readonly DeliveryRecord[];
  readonly checkpoint: (reader: string) => bigint | undefined;
};

export function deliveryReader(database: Database.Database, tally: Tally): DeliveryReader {
  const setAside = database.prepare<[], number>('SELECT count(*) FROM set_aside').pluck();
  const oldestDue = database
    .prepare<[number], number | null>('SELECT min(next_due) FROM listeners WHERE next_due <= ?')
    .pluck();
  const checkpoint = database
    .prepare<[string], bigint>('SELECT position FROM checkpoints WHERE reader = ?')
    .pluck()
    .safeIntegers(true);

  return {
    counts: (now) => ({
      waiting: tally.of(stateNumbers.waiting),
      succeeded: tally.of(stateNumbers.succeeded),
      exhausted: tally.of(stateNumbers.exhausted),
      cancelled: tally.of(stateNumbers.cancelled),
      setAside: setAside.get() ?? 0,
      oldestDueAt: oldestDue.get(now) ?? undefined,
    }),
    list: (query) =>
      database
        .prepare<unknown[], Row>(listQuery(query))
        .all({ limit: 100, ...query })
        .map(toRecord),
    checkpoint: (reader) => checkpoint.get(reader),
  };
}

const toRecord = ({ state, dueAt, lastStatus, lastError, lastAttemptAt, ...row }: Row): DeliveryRecord => ({
  ...row,
  state: states.get(state) as DeliveryState, // only these are ever written
  dueAt: dueAt ?? undefined,
  lastStatus: lastStatus ?? undefined,
  lastError: lastError ?? undefined,
  lastAttemptAt: lastAttemptAt ?? undefined,
});
