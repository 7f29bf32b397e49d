import type { Message } from '../delivery.js';
import type { MinuteOfActivity } from '../delivery-log.js';
import type { Outcome } from '../leasing.js';

/** Upper bounds of the buckets in milliseconds, inclusive; a last bucket has no bound. */
export const bucketBoundsMs: readonly number[] = [
  ...[1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000],
];

export const noDurations: readonly number[] = Object.freeze([...bucketBoundsMs, 0].map(() => 0));

export function histogramOf(durationsMs: readonly number[]): readonly number[] {
  if (durationsMs.length === 0) return noDurations;
  const buckets = [...noDurations];
  for (const duration of durationsMs) {
    const index = bucketBoundsMs.findIndex((bound) => duration <= bound);
    const bucket = index === -1 ? bucketBoundsMs.length : index;
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  return buckets;
}

/** Estimates a percentile in milliseconds, linear within its bucket; `share` is 0 to 1. Undefined without durations. */
export function percentile(buckets: readonly number[], share: number): number | undefined {
  const rank = share * buckets.reduce((sum, count) => sum + count, 0);
  if (rank === 0) return undefined;
  let before = 0;
  for (const [index, count] of buckets.entries()) {
    const from = index === 0 ? 0 : (bucketBoundsMs[index - 1] ?? 0);
    const to = bucketBoundsMs[index] ?? from;
    if (count > 0 && before + count >= rank) return from + ((rank - before) / count) * (to - from);
    before += count;
  }
  return bucketBoundsMs.at(-1);
}

export type ActivityCounts = Omit<MinuteOfActivity, 'at'>;

export const minuteMs = 60_000;
/** Older minutes are removed when another one begins. */
export const keepActivityMs = 24 * 60 * minuteMs;

export const halfHourMs = 30 * minuteMs;
/** A day of half hours, and the one under way. The retention adds older ones to their days. */
export const keepHalfHoursMs = 25 * 60 * minuteMs;

export const noActivity: ActivityCounts = {
  events: 0,
  succeeded: 0,
  failed: 0,
  exhausted: 0,
  latency: noDurations,
  duration: noDurations,
};

/** Replays and test deliveries are no flow events. */
export const isFlowEvent = ({ recordedAt }: Pick<Message, 'recordedAt'>, isReplay: boolean): boolean =>
  !isReplay && recordedAt !== undefined;

export const sumOfActivity = (one: ActivityCounts, other: ActivityCounts): ActivityCounts => ({
  events: one.events + other.events,
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  exhausted: one.exhausted + other.exhausted,
  latency: sums(one.latency, other.latency),
  duration: sums(one.duration, other.duration),
});

/** Released deliveries do not count. */
export function activityOf(outcomes: readonly Outcome[]): ActivityCounts {
  const attempts = outcomes.filter((outcome) => outcome.kind !== 'released');
  const succeeded = attempts.filter(({ kind }) => kind === 'succeeded').length;
  return {
    events: 0,
    succeeded,
    failed: attempts.length - succeeded,
    exhausted: attempts.filter(({ kind }) => kind === 'exhausted').length,
    latency: histogramOf(attempts.flatMap((each) => (each.kind === 'succeeded' ? (each.latencyMs ?? []) : []))),
    duration: histogramOf(attempts.map(({ report }) => report.durationMs)),
  };
}

const sums = (one: readonly number[], other: readonly number[]): readonly number[] =>
  one.map((count, index) => count + (other[index] ?? 0));
