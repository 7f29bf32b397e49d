import type Database from 'better-sqlite3';
import type { SigningSecret, Subscription } from '../../../events/listener-events.js';
import { limitBy, openDatabaseFile } from '../../../stores/sqlite/database-file.js';
import { withStoreErrors } from '../../../stores/sqlite/sqlite-errors.js';
import type { Message } from '../../delivery.js';
import { halfHourMs } from '../../policy/activity.js';
import type { ListenerHealth } from '../../policy/listener-health.js';
import type { KeptDelivery, KeptListener, QueueContents, QueueDump, SectionDump } from '../../queue-contents.js';
import { activityColumns, bucketsOf, dayOf, listenerOf } from '../outcomes/statistics.js';
import { fromLog } from '../outcomes/write-attempt.js';
import { deliveriesFile, pausedNumbers, stateNumbers } from '../schema.js';

const maxBatch = { rows: 500, characters: 4 * 1_048_576 };
const minInteger = -(2n ** 63n);

/** A row as stored: only places in the event store are bigint, objects are JSON. */
type Stored<Row> = { readonly [Field in keyof Row]: StoredValue<Row[Field]> };
type StoredValue<Value> = Value extends boolean ? number : Value extends object ? string : Value;

const places = new Set(['position', 'revision']);

/**
 * Reads all rows of `deliveries.db` by the keys of their tables, each batch in its own query. Throws like opening the
 * queue.
 */
export function openQueueDump(directory: string): QueueDump & { close: () => void } {
  const database = openDatabaseFile(directory, deliveriesFile);
  const section = <Row>(query: SectionQuery<Row>): SectionDump<Row> => sectionDump(database, query);
  return {
    messages: section<Message>({
      table: 'messages',
      columns: `org_id AS orgId, event_id AS eventId, published_id AS publishedId, type, position, body,
        recorded_at AS recordedAt, traceparent, terms`,
      toRow: (message) => ({
        ...message,
        body: message.body ?? null,
        terms: parsed<readonly string[]>(message.terms),
      }),
    }),
    listeners: section<KeptListener>({
      table: 'listeners',
      columns: `listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, subscription, secret,
        paused, health, position, closed, ifnull(due_since, next_due) AS nextDue`,
      toRow: (listener) => ({
        ...listener,
        subscription: parsed<Subscription>(listener.subscription),
        secret: parsed<SigningSecret>(listener.secret),
        paused: listener.paused === pausedNumbers.paused,
        health: parsed<ListenerHealth>(listener.health),
        closed: listener.closed === 1,
      }),
    }),
    deliveries: section<KeptDelivery>({
      table: 'deliveries',
      joins: `CROSS JOIN messages ON messages.key = deliveries.message
        CROSS JOIN listeners ON listeners.key = deliveries.listener`,
      columns: `id, webhook_id AS webhookId, messages.org_id AS orgId, event_id AS eventId, listener_id AS listenerId,
        messages.position, replay, ${stateName('state')} AS state, attempts, due_at AS dueAt, enqueued_at AS enqueuedAt,
        ended_at AS endedAt, last_status AS lastStatus, last_error AS lastError, last_attempt_at AS lastAttemptAt, log`,
      toRow: (delivery) => ({ ...delivery, log: fromLog(delivery.log ?? null) }),
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
      toRow: (day) => day,
    }),
    halfHours: section<QueueContents['halfHours']>({
      table: 'attempts_by_half_hour',
      joins: 'CROSS JOIN listeners ON listeners.key = attempts_by_half_hour.key & 0xffffffff',
      columns: `(attempts_by_half_hour.key >> 32) * ${halfHourMs} AS at, org_id AS orgId, listener_id AS listenerId, succeeded, failed, exhausted,
        duration_ms AS durationMs`,
      toRow: (halfHour) => halfHour,
    }),
    activity: section<QueueContents['activity']>({
      table: 'activity_by_minute',
      columns: activityColumns.replace('minute', 'minute * 60000 AS at'),
      toRow: (minute) => ({ ...minute, latency: bucketsOf(minute.latency), duration: bucketsOf(minute.duration) }),
    }),
    stateCounts: section<QueueContents['stateCounts']>({
      table: 'tally',
      columns: `${stateName('state')} AS state, deliveries`,
      toRow: (counted) => counted,
    }),
    checkpoints: section<QueueContents['checkpoints']>({
      table: 'checkpoints',
      columns: 'reader, position',
      toRow: (checkpoint) => checkpoint,
    }),
    close: () => database.close(),
  };
}

type SectionQuery<Row> = {
  table: string;
  joins?: string;
  columns: string;
  toRow: (stored: Stored<Row>) => Row;
};

function sectionDump<Row>(
  database: Database.Database,
  { table, joins = '', columns, toRow }: SectionQuery<Row>,
): SectionDump<Row> {
  const page = database
    .prepare<[bigint, number], Readonly<Record<string, unknown>> & { rowKey: bigint }>(
      `SELECT ${table}.rowid AS rowKey, ${columns} FROM ${table} ${joins} WHERE ${table}.rowid > ? ORDER BY ${table}.rowid ${limitBy()}`,
    )
    .safeIntegers(true);
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();

  function batchAfter(key: bigint): { rows: readonly Row[]; last: bigint } {
    const rows: Row[] = [];
    let last = key;
    let characters = 0;
    for (const { rowKey, ...stored } of page.iterate(key, maxBatch.rows)) {
      rows.push(toRow(read<Row>(stored)));
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

const read = <Row>(columns: Readonly<Record<string, unknown>>): Stored<Row> =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, readValue(name, value)])) as Stored<Row>;

function readValue(name: string, value: unknown): unknown {
  if (value === null) return undefined;
  return typeof value === 'bigint' && !places.has(name) ? Number(value) : value;
}

const parsed = <Value>(json: string | undefined): Value | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as Value);

const charactersOf = (stored: object): number =>
  Object.values(stored).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
