import { requireTimeRange } from '../../kernel/input/parse-input.js';
import type { AttemptsOfPeriod, DeliveryLog } from '../../queue/delivery-log.js';

/** Outcomes of attempts. `durationMs`: the average; null without attempts. */
type AttemptStats = {
  attempts: number;
  succeeded: number;
  failed: number;
  /** Deliveries that were given up. */
  exhausted: number;
  durationMs: number | null;
};

export type DeliveryStats = {
  total: AttemptStats;
  listeners: readonly ({ listenerId: string } & AttemptStats)[];
  /** Days of all listeners together. */
  days: readonly ({ day: string } & AttemptStats)[];
  /** Half hours of one listener in the last 24 hours. `at`: beginning, ISO 8601. */
  halfHours: readonly ({ at: string } & Pick<AttemptStats, 'succeeded' | 'failed' | 'exhausted'>)[];
};

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** Number of days without `from`. */
const defaultDays = 30;

/** `2026-01-31`; both included. */
type Days = { from: string; to: string };

/**
 * The days of statistics, both included: without `to` until today, without `from` the 30 days until `to`. `now`: milliseconds
 * since 1970. Throws `InvalidRequest` if `from` is later than `to`.
 */
export function statsDays(asked: { [Limit in keyof Days]?: Days[Limit] | undefined }, now: number): Days {
  const { to = dayOf(now) } = asked;
  const { from = dayOf(Date.parse(to) - (defaultDays - 1) * dayMs) } = asked;
  requireTimeRange({ from, to });
  return { from, to };
}

/**
 * Attempts by listener and by day (UTC), of an organisation or one of its listeners; both days included. `now`:
 * milliseconds since 1970.
 */
export async function deliveryStats(
  queue: Pick<DeliveryLog, 'statistics'>,
  { orgId, listenerId, from, to }: Days & { orgId: string; listenerId?: string },
  now: number,
): Promise<DeliveryStats> {
  const lastDay = { orgId, from: now - dayMs + 1, to: now + 1 };
  const asked = { orgId, from: Date.parse(from), to: Date.parse(to) + dayMs };
  const [days, halfHours] = await Promise.all([
    queue.statistics({ by: 'day', ...asked, listenerId }),
    listenerId === undefined ? [] : queue.statistics({ by: 'half hour', ...lastDay, listenerId }),
  ]);
  return {
    total: sumOf(days),
    listeners: grouped(days, ({ listenerId }) => listenerId).map(([listenerId, of]) => ({ listenerId, ...sumOf(of) })),
    days: grouped(days, ({ at }) => dayOf(at)).map(([day, of]) => ({ day, ...sumOf(of) })),
    halfHours: halfHours.map(({ at, succeeded, failed, exhausted }) => ({
      at: new Date(at).toISOString(),
      succeeded,
      failed,
      exhausted,
    })),
  };
}

function sumOf(days: readonly AttemptsOfPeriod[]): AttemptStats {
  const sum = (field: 'succeeded' | 'failed' | 'exhausted' | 'durationMs') =>
    days.reduce((total, day) => total + day[field], 0);
  const succeeded = sum('succeeded');
  const failed = sum('failed');
  const attempts = succeeded + failed;
  return {
    attempts,
    succeeded,
    failed,
    exhausted: sum('exhausted'),
    durationMs: attempts === 0 ? null : Math.round(sum('durationMs') / attempts),
  };
}

/** Groups in the order of the keys. */
function grouped(
  days: readonly AttemptsOfPeriod[],
  keyOf: (day: AttemptsOfPeriod) => string,
): readonly (readonly [string, readonly AttemptsOfPeriod[]])[] {
  const groups = new Map<string, AttemptsOfPeriod[]>();
  for (const day of days) {
    const group = groups.get(keyOf(day));
    if (group) group.push(day);
    else groups.set(keyOf(day), [day]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}
