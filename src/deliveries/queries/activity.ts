import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import {
  type ActivityCounts,
  keepActivityMs,
  minuteMs,
  noActivity,
  percentile,
  sumOfActivity,
} from '../../queue/policy/activity.js';

/**
 * Activity of the whole service in a period. `latency`: from recording a flow event to a success at the first attempt;
 * `duration`: of attempts. Milliseconds, estimated from histograms; null: none.
 */
type ActivitySummary = {
  events: number;
  succeeded: number;
  failed: number;
  exhausted: number;
  latencyMs: Percentiles;
  durationMs: Percentiles;
};
type Percentiles = { p50: number | null; p95: number | null };

export type RecentActivity = {
  /** Sum of all these minutes. */
  total: ActivitySummary;
  /** Every minute, the earliest first, the current one last; `at`: when it began, ISO 8601. */
  minutes: readonly ({ at: string } & ActivitySummary)[];
};

/** Maximum number of minutes: as many as the queue keeps. */
export const maxActivityMinutes = keepActivityMs / minuteMs;

/** The latest minutes, including the current one. `minutes`: 1 to `maxActivityMinutes`; `now`: milliseconds since 1970. */
export async function recentActivity(
  queue: Pick<DeliveryQueue, 'activity'>,
  { minutes, now }: { minutes: number; now: number },
): Promise<RecentActivity> {
  const current = Math.floor(now / minuteMs) * minuteMs;
  const from = current - (minutes - 1) * minuteMs;
  const counted = new Map(
    (await queue.activity({ from, to: current + minuteMs })).map(({ at, ...counts }) => [at, counts]),
  );
  const beginnings = Array.from({ length: minutes }, (_, index) => from + index * minuteMs);
  return {
    total: summaryOf([...counted.values()].reduce(sumOfActivity, noActivity)),
    minutes: beginnings.map((at) => ({
      at: new Date(at).toISOString(),
      ...summaryOf(counted.get(at) ?? noActivity),
    })),
  };
}

const summaryOf = ({ latency, duration, ...counts }: ActivityCounts): ActivitySummary => ({
  ...counts,
  latencyMs: percentilesOf(latency),
  durationMs: percentilesOf(duration),
});

const percentilesOf = (buckets: readonly number[]): Percentiles => ({
  p50: rounded(percentile(buckets, 0.5)),
  p95: rounded(percentile(buckets, 0.95)),
});

const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms * 10) / 10);
