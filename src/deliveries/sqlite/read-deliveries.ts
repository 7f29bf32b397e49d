import type Database from 'better-sqlite3';
import type { AttemptReport, DeliveryCounts } from '../delivery-log.js';
import { byClock, type HookHealth } from '../hook-health.js';
import type { QueueClock } from '../queue-clock.js';
import { fromLog } from './attempt-log.js';
import { findById } from './find-by-id.js';
import type { HookHealths } from './hook-healths.js';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

export type DeliveryReader = {
  readonly counts: (now: number) => DeliveryCounts;
  readonly attempts: (orgId: string, deliveryId: string) => readonly AttemptReport[];
  readonly health: (listenerIds: readonly string[]) => ReadonlyMap<string, HookHealth>;
  readonly openBreakers: () => number;
};

export function deliveryReader(
  database: Database.Database,
  { clock, healths, tally }: { readonly clock: QueueClock; readonly healths: HookHealths; readonly tally: Tally },
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
  const keyOf = database.prepare<[string], number>('SELECT key FROM listeners WHERE listener_id = ?').pluck();
  const openBreakers = database
    .prepare<[], number>(
      `SELECT count(*) FROM (SELECT 1 FROM listeners
       WHERE health IS NOT NULL AND json_extract(health, '$.breaker.openings') > 0 LIMIT 1000)`,
    )
    .pluck();

  return {
    counts(now) {
      const oldestDueAt = oldestDue.get({ now: clock.of(now) }) ?? undefined;
      return {
        waiting: tally.of(stateNumbers.waiting),
        held: tally.of(stateNumbers.held),
        succeeded: tally.of(stateNumbers.succeeded),
        exhausted: tally.of(stateNumbers.exhausted),
        cancelled: tally.of(stateNumbers.cancelled),
        setAside: setAside.get() ?? 0,
        oldestDueAt: oldestDueAt === undefined ? undefined : clock.outside(oldestDueAt),
      };
    },
    attempts: (orgId, id) => fromLog(logOf.get({ orgId, id }) ?? null),
    health(listenerIds) {
      const known = listenerIds.map((listenerId) => [listenerId, keyOf.get(listenerId)] as const);
      const of = (key: number) => byClock(healths.of(key), (time) => clock.outside(time));
      return new Map(known.flatMap(([id, key]) => (key === undefined ? [] : [[id, of(key)] as const])));
    },
    openBreakers: () => openBreakers.get() ?? 0,
  };
}
