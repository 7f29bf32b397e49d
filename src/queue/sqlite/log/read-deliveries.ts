import type Database from 'better-sqlite3';
import type { DeliveryLog } from '../../delivery-log.js';
import {
  type BacklogQuery,
  type ListedListener,
  type ListenerLog,
  type ListenerState,
  type ListenersQuery,
  mergeTroubled,
  type TroubleQuery,
} from '../../listener-log.js';
import { healthy, type ListenerHealth } from '../../policy/listener-health.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { InTransaction, Shared } from '../shared.js';

/**
 * SQL for the key of the delivery with the id @id: its index has a range for each 1,024 deliveries, all of which are
 * searched.
 */
export const findById = `
  WITH RECURSIVE thousand (number) AS (
    SELECT (SELECT max(key) FROM deliveries) >> 10
    UNION ALL SELECT number - 1 FROM thousand WHERE number > (SELECT min(key) FROM deliveries) >> 10
  )
  SELECT named.key FROM thousand CROSS JOIN deliveries AS named
    ON named.key >> 10 = thousand.number AND substr(named.id, 1, 8) = substr(@id, 1, 8)
  WHERE named.id = @id LIMIT 1`;

type DeliveryReader = InTransaction<Pick<DeliveryLog, 'counts'> & Pick<ListenerLog, 'listenerStates'>>;

type ListenerStateRow = {
  key: number;
  paused: number;
  ordered: number;
  nextDue: number | null;
  keptBackSince: number | null;
};

export function openDeliveryReader({ database, healths, stateCounts }: Shared): DeliveryReader {
  const setAside = database.prepare<[], number>('SELECT count(*) FROM set_aside').pluck();
  const oldestDue = database
    .prepare<[{ now: number }], number | null>(
      `SELECT min(due) FROM (
         SELECT min(next_due) AS due FROM listeners WHERE next_due <= @now
         UNION ALL SELECT min(due_since) FROM listeners WHERE due_since <= @now)`,
    )
    .pluck();
  const listenerOf = database.prepare<[string], ListenerStateRow>(
    'SELECT key, paused, ordered, next_due AS nextDue, due_since AS keptBackSince FROM listeners WHERE listener_id = ?',
  );
  const headOf = database
    .prepare<[number], string>(
      `SELECT id FROM deliveries WHERE listener = ? AND state = 0 AND turn IS NOT NULL ORDER BY turn, key LIMIT 1`,
    )
    .pluck();
  const openBreakers = database
    .prepare<[], number>(
      `SELECT count(*) FROM (SELECT 1 FROM listeners
       WHERE health IS NOT NULL AND json_extract(health, '$.breaker.openings') > 0 LIMIT 1000)`,
    )
    .pluck();

  return {
    counts(now) {
      return {
        waiting: stateCounts.of(stateNumbers.waiting),
        held: stateCounts.of(stateNumbers.held),
        succeeded: stateCounts.of(stateNumbers.succeeded),
        exhausted: stateCounts.of(stateNumbers.exhausted),
        cancelled: stateCounts.of(stateNumbers.cancelled),
        setAside: setAside.get() ?? 0,
        oldestDueAt: oldestDue.get({ now }) ?? undefined,
        openBreakers: openBreakers.get() ?? 0,
      };
    },
    listenerStates(listenerIds) {
      const stateOf = ({ key, paused, ordered, nextDue, keptBackSince }: ListenerStateRow): ListenerState => ({
        health: healths.of(key),
        paused: paused === pausedNumbers.paused,
        head: ordered === 1 ? headOf.get(key) : undefined,
        keptBackUntil: keptBackSince === null || nextDue === null ? undefined : nextDue,
        nextDue: nextDue ?? undefined,
      });
      const known = listenerIds.map((listenerId) => [listenerId, listenerOf.get(listenerId)] as const);
      return new Map(
        known.flatMap(([id, listener]) => (listener === undefined ? [] : [[id, stateOf(listener)] as const])),
      );
    },
  };
}

type Row = Omit<ListedListener, 'paused' | 'health' | 'dueSince'> & {
  paused: number;
  health: string | null;
  dueSince: number | null;
};

/** The partial indexes count: the cost depends on the backlog, not on the history. */
const columns = `listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, paused, health,
  ifnull(due_since, next_due) AS dueSince,
  (SELECT count(*) FROM deliveries INDEXED BY deliveries_waiting
   WHERE listener = listeners.key AND state = ${stateNumbers.waiting}) AS waiting,
  (SELECT count(*) FROM deliveries INDEXED BY deliveries_not_delivered
   WHERE listener = listeners.key AND state = ${stateNumbers.held} AND state > 1) AS held`;

export function openListeners(database: Database.Database): (query: ListenersQuery) => readonly ListedListener[] {
  const inTrouble = openListenersInTrouble(database);
  const withBacklog = database.prepare<[Readonly<Record<keyof BacklogQuery, string | number | null>>], Row>(
    `SELECT * FROM (
       SELECT ${columns} FROM listeners
       WHERE NOT closed AND (@orgId IS NULL OR org_id = @orgId) AND (@listenerId IS NULL OR listener_id = @listenerId))
     WHERE waiting + held > 0 ORDER BY waiting + held DESC, listenerId LIMIT @limit`,
  );
  return (query) => {
    if ('dueBefore' in query) return inTrouble(query).map(toListener);
    const { orgId = null, listenerId = null, limit } = query;
    return withBacklog.all({ orgId, listenerId, limit }).map(toListener);
  };
}

/** Each group is read by an index, so the cost does not depend on the number of listeners. */
function openListenersInTrouble(database: Database.Database): (query: TroubleQuery) => readonly Row[] {
  const find = (condition: string, order: string) =>
    database.prepare<[Omit<TroubleQuery, 'orgId'> & { orgId: string | null }], Row>(
      `SELECT ${columns} FROM listeners
       WHERE ${condition} AND NOT closed AND (@orgId IS NULL OR org_id = @orgId) ORDER BY ${order} LIMIT @limit`,
    );
  const openings = "json_extract(health, '$.breaker.openings')";
  const failingSince = "json_extract(health, '$.failing.since')";
  const isDelayedByHealth = ['failing', 'pace', 'notBefore']
    .map((field) => `json_extract(health, '$.${field}') IS NOT NULL`)
    .join(' OR ');
  const groups = [
    find(`health IS NOT NULL AND ${openings} > 0 AND paused <> ${pausedNumbers.paused}`, `${openings} DESC`),
    find(`paused = ${pausedNumbers.paused} AND health IS NOT NULL AND ${failingSince} >= 0`, failingSince),
    find(`due_since <= @dueBefore AND (next_due <= @dueBefore OR ${isDelayedByHealth})`, 'due_since'),
    find('next_due <= @dueBefore AND due_since IS NULL', 'next_due'),
  ];
  return (query) =>
    mergeTroubled(
      groups.map((group) => group.all({ ...query, orgId: query.orgId ?? null })),
      query.limit,
    );
}

const toListener = ({ paused, health, dueSince, ...listener }: Row): ListedListener => ({
  ...listener,
  paused: paused === pausedNumbers.paused,
  health: health === null ? healthy : (JSON.parse(health) as ListenerHealth), // as it was written
  dueSince: dueSince ?? undefined,
});
