import type Database from 'better-sqlite3';
import type { DeliveryState } from '../../delivery.js';
import {
  type ActivityQuery,
  type DeliveryQuery,
  type ExhaustedDeliveries,
  hasLogs,
  type ListedDelivery,
  type ListedPage,
} from '../../delivery-log.js';
import { defaultPageSize, noCursor, readCursor, writeCursor } from '../../delivery-pages.js';
import { fromLog } from '../outcomes/write-attempt.js';
import { type StateNumber, stateNames, stateNumbers } from '../schema.js';
import { findById } from './read-deliveries.js';

export type ListedRow = Omit<ListedDelivery, 'state' | 'cursor' | 'log' | 'replay' | Nullable> & {
  readonly [Column in Nullable]: NonNullable<ListedDelivery[Column]> | null;
} & {
  state: StateNumber;
  replay: string | null;
  key: number;
  message: number;
  listener: number;
  closed: number;
  paused: number;
  ordered: number;
};
type Nullable = 'publishedId' | 'dueAt' | 'lastStatus' | 'lastError' | 'lastAttemptAt';

const columns = `deliveries.key, deliveries.message, deliveries.listener, listeners.closed, listeners.paused,
  listeners.ordered, deliveries.id, deliveries.webhook_id AS webhookId, messages.org_id AS orgId,
  messages.event_id AS eventId, messages.published_id AS publishedId, messages.type AS eventType, listeners.listener_id AS listenerId, deliveries.replay,
  deliveries.state, deliveries.attempts, deliveries.due_at AS dueAt, deliveries.enqueued_at AS enqueuedAt,
  deliveries.last_status AS lastStatus, deliveries.last_error AS lastError, deliveries.last_attempt_at AS lastAttemptAt`;

const joinListeners = 'CROSS JOIN listeners ON listeners.key = deliveries.listener';
const joinMessages = 'CROSS JOIN messages ON messages.key = deliveries.message';

const latestFirst = 'ORDER BY message DESC, listener, key LIMIT @limit';

export function openExhausted(database: Database.Database): (query: ActivityQuery) => readonly ExhaustedDeliveries[] {
  const read = database.prepare<[ActivityQuery], ExhaustedDeliveries>(
    `SELECT listeners.listener_id AS listenerId, count(*) AS exhausted
     FROM deliveries INDEXED BY deliveries_exhausted ${joinListeners}
     WHERE deliveries.state = ${stateNumbers.exhausted} AND ended_at >= @from AND ended_at < @to GROUP BY deliveries.listener`,
  );
  return (query) => read.all(query);
}

/** `lowest`: key of the last message to examine. */
type Query = DeliveryQuery & { lowest?: number };

/** The latest flow events first. The default limit is 100. */
export type ListDeliveries = (query: Query) => readonly ListedRow[];

export function openList(database: Database.Database): ListDeliveries {
  return (query) =>
    database
      .prepare<unknown[], ListedRow>(listQuery(query))
      .all({ limit: defaultPageSize, ...query, ...(query.after !== undefined && cursorParameters(query.after)) });
}

/** Flow events examined for a page: those that no listener selected have no deliveries. */
const maxExamined = 5_000;
/** Cursor after all deliveries of a message. */
const afterAll = '999999999999999.999999999999999';

export function openLists(database: Database.Database, list: ListDeliveries) {
  const logOf = database.prepare<[number], string | null>('SELECT log FROM deliveries WHERE key = ?').pluck();
  const withLog = (row: ListedRow): ListedDelivery => ({ ...toListed(row), log: fromLog(logOf.get(row.key) ?? null) });

  /** Undefined: fewer are left. */
  function lowestExamined(query: DeliveryQuery): number | undefined {
    const { orgId, before, after } = query;
    const conditions = ['org_id = @orgId', ...rangeOf(query)].join(' AND ');
    const found = database
      .prepare<unknown[], { lowest: number; examined: number }>(
        `SELECT min(key) AS lowest, count(*) AS examined FROM (
           SELECT key FROM messages INDEXED BY messages_of_organisation
           WHERE ${conditions} ORDER BY key DESC LIMIT ${maxExamined})`,
      )
      .get({ orgId, before, ...(after !== undefined && cursorParameters(after)) });
    return found?.examined === maxExamined ? found.lowest : undefined;
  }

  return {
    deliveries(query: DeliveryQuery): ListedPage {
      const lowest = readsAllMessages(query) ? lowestExamined(query) : undefined;
      const deliveries = list({ ...query, lowest }).map(hasLogs(query) ? withLog : toListed);
      if (deliveries.length === (query.limit ?? defaultPageSize))
        return { deliveries, next: deliveries.at(-1)?.cursor };
      const next = lowest === undefined ? undefined : writeCursor({ number: BigInt(lowest), id: afterAll });
      return { deliveries, next };
    },
  };
}

const isNamed = ({ id, eventId, replay }: DeliveryQuery): boolean => (id ?? eventId ?? replay) !== undefined;

const readsAllMessages = (query: DeliveryQuery): boolean =>
  !isNamed(query) && query.listenerId === undefined && (query.states?.includes('succeeded') ?? true);

/** Reads up to `limit` deliveries of each requested state by that state's index, and merges them. */
function listQuery(query: Query): string {
  const { states } = query;
  if (states?.length === 0) return selectQuery(query, ['FALSE'], fromDeliveries);
  if (states === undefined || isNamed(query)) {
    const condition = states && `deliveries.state IN (${states.map((state) => stateNumbers[state]).join(', ')})`;
    return selectQuery(query, condition ? [condition] : [], sourceOf(query));
  }
  const parts = [...new Set(states)].map((state) => `SELECT * FROM (${ofState(query, state)})`);
  return `${parts.join(' UNION ALL ')} ${latestFirst}`;
}

function ofState(query: Query, state: DeliveryState): string {
  const is = `deliveries.state = ${stateNumbers[state]}`;
  if (state === 'succeeded') return selectQuery(query, [is], sourceOf(query));
  // The indexes of the other states are partial, so their size does not grow with the history.
  const byIndex = (index: string) =>
    `listeners CROSS JOIN deliveries INDEXED BY ${index} ON deliveries.listener = listeners.key ${joinMessages}`;
  const conditions = ['listeners.org_id = @orgId', is];
  if (state === 'waiting') return selectQuery(query, conditions, byIndex('deliveries_waiting'));
  return selectQuery(query, [...conditions, 'deliveries.state > 1'], byIndex('deliveries_not_delivered'));
}

// CROSS JOIN fixes the order of the loops: each walks an index backwards and stops at the limit.
const fromEvent = `messages CROSS JOIN deliveries ON deliveries.message = messages.key ${joinListeners}`;
const fromOrganisation = fromEvent.replace('messages', 'messages INDEXED BY messages_of_organisation');
const fromListener = `listeners CROSS JOIN deliveries ON deliveries.listener = listeners.key ${joinMessages}`;
const fromEventAndListener = `messages CROSS JOIN listeners
  CROSS JOIN deliveries ON deliveries.message = messages.key AND deliveries.listener = listeners.key`;
const fromDeliveries = `deliveries ${joinMessages} ${joinListeners}`;

function sourceOf({ id, eventId, listenerId, replay }: DeliveryQuery): string {
  if (id !== undefined) return fromDeliveries;
  if (eventId !== undefined) return listenerId === undefined ? fromEvent : fromEventAndListener;
  if (replay !== undefined) return fromDeliveries;
  return listenerId === undefined ? fromOrganisation : fromListener;
}

function selectQuery(query: Query, conditions: readonly string[], from: string): string {
  const { id, eventId, listenerId, replay, after, lowest } = query;
  const all = [
    'messages.org_id = @orgId',
    ...(id === undefined ? [] : [`deliveries.key = (${findById})`]),
    ...(eventId === undefined ? [] : ['messages.event_id = @eventId']),
    ...(listenerId === undefined ? [] : ['listeners.listener_id = @listenerId']),
    ...(replay === undefined ? [] : ['deliveries.replay = @replay']),
    ...rangeOf(query).map((condition) => `messages.${condition}`),
    ...(after === undefined ? [] : [afterCursor]),
    ...(lowest === undefined ? [] : ['messages.key >= @lowest']),
    ...conditions,
  ];
  return `SELECT ${columns} FROM ${from} WHERE ${all.join(' AND ')}
    ORDER BY ${from.startsWith('messages') ? 'messages.key' : 'deliveries.message'} DESC, deliveries.listener,
      deliveries.key LIMIT @limit`;
}

const afterCursor =
  '(deliveries.message < @afterMessage OR (deliveries.listener, deliveries.key) > (@afterListener, @afterKey))';

/** Conditions on the messages at which the loop begins. */
const rangeOf = ({ after, before }: DeliveryQuery): readonly string[] => [
  ...(after === undefined ? [] : ['key <= @afterMessage']),
  ...(before === undefined ? [] : [beforePosition]),
];

/** Keys of an organisation's messages rise with their positions. */
const beforePosition = `key <= (SELECT earlier.key FROM messages AS earlier INDEXED BY messages_by_position
  WHERE earlier.org_id = @orgId AND earlier.position < @before ORDER BY earlier.position DESC LIMIT 1)`;

export const cursorOf = ({ message, listener, key }: Pick<ListedRow, 'message' | 'listener' | 'key'>): string =>
  writeCursor({ number: BigInt(message), id: `${listener}.${key}` });

/** Throws `InvalidRequest` if the cursor is malformed. */
function cursorParameters(cursor: string) {
  const { number, id } = readCursor(cursor);
  const [, listener, key] = /^(\d{1,15})\.(\d{1,15})$/.exec(id) ?? [];
  if (listener === undefined || key === undefined) throw noCursor();
  return { afterMessage: number, afterListener: Number(listener), afterKey: Number(key) };
}

function toListed(row: ListedRow): ListedDelivery {
  const { id, webhookId, orgId, eventId, eventType, listenerId, replay, attempts, enqueuedAt } = row;
  return {
    id,
    webhookId,
    orgId,
    eventId,
    eventType,
    listenerId,
    attempts,
    enqueuedAt,
    replay: replay ?? undefined,
    publishedId: row.publishedId ?? undefined,
    state: stateNames[row.state],
    dueAt: row.dueAt ?? undefined,
    lastStatus: row.lastStatus ?? undefined,
    lastError: row.lastError ?? undefined,
    lastAttemptAt: row.lastAttemptAt ?? undefined,
    cursor: cursorOf(row),
  };
}
