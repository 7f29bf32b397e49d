import type Database from 'better-sqlite3';
import type { AttemptReport, DeliveryCounts } from '../../queue/delivery-log.js';
import type { ListenerState } from '../../queue/listener-state.js';
import { fromLog } from '../outcomes/attempt-log.js';
import type { ListenerHealths } from '../outcomes/listener-healths.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';
import { findById } from './find-by-id.js';

export type DeliveryReader = {
  readonly counts: (now: number) => DeliveryCounts;
  readonly attempts: (orgId: string, deliveryId: string) => readonly AttemptReport[];
  readonly listenerStates: (listenerIds: readonly string[]) => ReadonlyMap<string, ListenerState>;
  readonly openBreakers: () => number;
};

type ListenerStateRow = {
  readonly key: number;
  readonly paused: number;
  readonly ordered: number;
  readonly nextDue: number | null;
  readonly keptBackSince: number | null;
};

export function openDeliveryReader(
  database: Database.Database,
  { healths, tally }: { readonly healths: ListenerHealths; readonly tally: Tally },
): DeliveryReader {
  const setAside = database.prepare<[], number>('SELECT count(*) FROM set_aside').pluck();
  const oldestDue = database
    .prepare<[{ now: number }], number | null>(
      `SELECT min(due) FROM (
         SELECT min(next_due) AS due FROM listeners WHERE next_due <= @now
         UNION ALL SELECT min(due_since) FROM listeners WHERE due_since <= @now)`,
    )
    .pluck();
  const logOf = database
    .prepare<[{ orgId: string; id: string }], string | null>(
      `SELECT log FROM deliveries CROSS JOIN messages ON messages.key = deliveries.message
       WHERE deliveries.key = (${findById}) AND org_id = @orgId`,
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
        waiting: tally.of(stateNumbers.waiting),
        held: tally.of(stateNumbers.held),
        succeeded: tally.of(stateNumbers.succeeded),
        exhausted: tally.of(stateNumbers.exhausted),
        cancelled: tally.of(stateNumbers.cancelled),
        setAside: setAside.get() ?? 0,
        oldestDueAt: oldestDue.get({ now }) ?? undefined,
      };
    },
    attempts: (orgId, id) => fromLog(logOf.get({ orgId, id }) ?? null),
    listenerStates(listenerIds) {
      const stateOf = ({ key, paused, ordered, nextDue, keptBackSince }: ListenerStateRow): ListenerState => ({
        health: healths.of(key),
        paused: paused === pausedNumbers.paused,
        head: ordered === 1 ? headOf.get(key) : undefined,
        keptBackUntil: keptBackSince === null || nextDue === null ? undefined : nextDue,
      });
      const known = listenerIds.map((listenerId) => [listenerId, listenerOf.get(listenerId)] as const);
      return new Map(
        known.flatMap(([id, listener]) => (listener === undefined ? [] : [[id, stateOf(listener)] as const])),
      );
    },
    openBreakers: () => openBreakers.get() ?? 0,
  };
}
