import type Database from 'better-sqlite3';
import { openDatabaseFile } from '../../../stores/sqlite/database-file.js';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import { withStoreErrors } from '../../../stores/sqlite/sqlite-errors.js';
import type { Message, PreviousSecret } from '../../queue/delivery.js';
import type { ListenerHealth } from '../../queue/policy/listener-health.js';
import type { KeptDelivery, KeptListener, QueueContents, QueueDump, SectionDump } from '../../queue/queue-contents.js';
import { activityColumns, bucketsOf, dayOf, listenerOf } from '../outcomes/statistics.js';
import { fromLog } from '../outcomes/write-attempt.js';
import { deliveriesFile, pausedNumbers, stateNumbers } from '../schema.js';

/** Maximum size of a batch, to bound memory. */
const maxBatch = { rows: 500, characters: 4 * 1_048_576 };
const minInteger = -(2n ** 63n);

/** A row as SQLite returns it: numbers as bigint, undefined as null, objects as JSON. */
type Stored<Row> = { readonly [Field in keyof Row]-?: StoredValue<Row[Field]> };
type StoredValue<Value> = Value extends number | boolean
  ? bigint
  : Value extends undefined
    ? null
    : Value extends object
      ? string
      : Value;

/**
 * Reads all rows of `deliveries.db` in a data directory. Rows are in insertion order, by the key of their table, so the cost
 * is linear and each batch is a query of its own. Throws `StoreUnavailable` and `StoreUnusable` like opening the queue.
 */
export function openQueueDump(directory: string): QueueDump & { readonly close: () => void } {
  const database = openDatabaseFile(directory, deliveriesFile);
  const section = <Row>(query: SectionQuery<Row>): SectionDump<Row> => sectionDump(database, query);
  return {
    messages: section<Message>({
      table: 'messages',
      columns: `org_id AS orgId, event_id AS eventId, published_id AS publishedId, type, position, body,
        recorded_at AS recordedAt, traceparent`,
      toRow: (message) => ({
        ...message,
        publishedId: message.publishedId ?? undefined,
        recordedAt: optional(message.recordedAt),
        traceparent: message.traceparent ?? undefined,
      }),
    }),
    listeners: section<KeptListener>({
      table: 'listeners',
      columns: `listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, key_generation AS keyGeneration,
        secret_version AS secretVersion, previous_secret AS previousSecret, transform, ordered, rate_per_second AS ratePerSecond,
        paused, health, position, closed, ifnull(due_since, next_due) AS nextDue`,
      toRow: (listener) => ({
        ...listener,
        ...{ orgId: listener.orgId ?? undefined, hookUrl: listener.hookUrl ?? undefined },
        keyGeneration: listener.keyGeneration ?? undefined,
        secretVersion: optional(listener.secretVersion),
        previousSecret: parsed<PreviousSecret>(listener.previousSecret),
        transform: listener.transform ?? undefined,
        ordered: listener.ordered === 1n,
        ratePerSecond: optional(listener.ratePerSecond),
        paused: listener.paused === BigInt(pausedNumbers.paused),
        health: parsed<ListenerHealth>(listener.health),
        closed: listener.closed === 1n,
        nextDue: optional(listener.nextDue),
      }),
    }),
    deliveries: section<KeptDelivery>({
      table: 'deliveries',
      joins: `CROSS JOIN messages ON messages.key = deliveries.message
        CROSS JOIN listeners ON listeners.key = deliveries.listener`,
      columns: `id, webhook_id AS webhookId, messages.org_id AS orgId, event_id AS eventId, listener_id AS listenerId,
        messages.position, replay, ${stateName('state')} AS state, attempts, due_at AS dueAt, enqueued_at AS enqueuedAt,
        ended_at AS endedAt, last_status AS lastStatus, last_error AS lastError, last_attempt_at AS lastAttemptAt, log`,
      toRow: (delivery) => ({
        ...delivery,
        replay: delivery.replay ?? undefined,
        attempts: Number(delivery.attempts),
        dueAt: optional(delivery.dueAt),
        enqueuedAt: Number(delivery.enqueuedAt),
        lastStatus: optional(delivery.lastStatus),
        lastError: delivery.lastError ?? undefined,
        lastAttemptAt: optional(delivery.lastAttemptAt),
        endedAt: optional(delivery.endedAt),
        log: fromLog(delivery.log),
      }),
    }),
    setAside: section<QueueContents['setAside']>({
      table: 'set_aside',
      columns: 'position, stream, revision, type, reason',
      toRow: (aside) => aside,
    }),
    waitingEvents: section<QueueContents['waitingEvents']>({
      table: 'waiting_events',
      columns: 'reader, org_id AS orgId, position, stream, revision',
      toRow: (event) => event,
    }),
    cancelledReplays: section<QueueContents['cancelledReplays']>({
      table: 'cancelled_replays',
      columns: 'replay',
      toRow: (cancelled) => cancelled,
    }),
    days: section<QueueContents['days']>({
      table: 'attempts_by_day',
      joins: `CROSS JOIN listeners ON listeners.key = ${listenerOf('attempts_by_day.key')}`,
      columns: `${dayOf('attempts_by_day.key')} AS day, org_id AS orgId, listener_id AS listenerId, succeeded, failed, exhausted, duration_ms AS durationMs`,
      toRow: toDay,
    }),
    activity: section<QueueContents['activity']>({
      table: 'activity_by_minute',
      columns: activityColumns.replace('minute', 'minute * 60000 AS at'),
      toRow: ({ at, events, succeeded, failed, exhausted, latency, duration }) => ({
        at: Number(at),
        events: Number(events),
        succeeded: Number(succeeded),
        failed: Number(failed),
        exhausted: Number(exhausted),
        latency: bucketsOf(latency),
        duration: bucketsOf(duration),
      }),
    }),
    tally: section<QueueContents['tally']>({
      table: 'tally',
      columns: `${stateName('state')} AS state, deliveries`,
      toRow: ({ state, deliveries }) => ({ state, deliveries: Number(deliveries) }),
    }),
    checkpoints: section<QueueContents['checkpoints']>({
      table: 'checkpoints',
      columns: 'reader, position',
      toRow: (checkpoint) => checkpoint,
    }),
    close: () => database.close(),
  };
}

const toDay = ({
  succeeded,
  failed,
  exhausted,
  durationMs,
  ...day
}: Stored<QueueContents['days']>): QueueContents['days'] => ({
  ...day,
  succeeded: Number(succeeded),
  failed: Number(failed),
  exhausted: Number(exhausted),
  durationMs: Number(durationMs),
});

type SectionQuery<Row> = {
  readonly table: string;
  readonly joins?: string;
  readonly columns: string;
  readonly toRow: (stored: Stored<Row>) => Row;
};

function sectionDump<Row>(
  database: Database.Database,
  { table, joins = '', columns, toRow }: SectionQuery<Row>,
): SectionDump<Row> {
  const page = database
    .prepare<[bigint, number], Stored<Row> & { readonly rowKey: bigint }>(
      `SELECT ${table}.rowid AS rowKey, ${columns} FROM ${table} ${joins} WHERE ${table}.rowid > ? ORDER BY ${table}.rowid ${limitBy()}`,
    )
    .safeIntegers(true);
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();

  function batchAfter(key: bigint): { readonly rows: readonly Row[]; readonly last: bigint } {
    const rows: Row[] = [];
    let last = key;
    let characters = 0;
    for (const { rowKey, ...stored } of page.iterate(key, maxBatch.rows)) {
      rows.push(toRow(stored as unknown as Stored<Row>)); // all selected columns except the key
      last = rowKey;
      characters += charactersOf(stored);
      if (characters > maxBatch.characters) break;
    }
    return { rows, last };
  }

  return {
    count: () => withStoreErrors(database.name, () => count.get() ?? 0),
    *batches() {
      let after = minInteger;
      for (;;) {
        const { rows, last } = withStoreErrors(database.name, () => batchAfter(after));
        if (rows.length === 0) return;
        yield rows;
        after = last;
      }
    },
  };
}

const stateName = (column: string): string =>
  `CASE ${column} ${Object.entries(stateNumbers)
    .map(([name, number]) => `WHEN ${number} THEN '${name}'`)
    .join(' ')} END`;

const optional = (value: bigint | null): number | undefined => (value === null ? undefined : Number(value));

/** Parses JSON that the queue has written. */
const parsed = <Value>(json: string | null): Value | undefined =>
  json === null ? undefined : (JSON.parse(json) as Value);

const charactersOf = (stored: object): number =>
  Object.values(stored).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
