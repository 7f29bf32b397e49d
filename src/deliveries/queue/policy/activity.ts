import type { Message } from '../delivery.js';
import type { MinuteOfActivity } from '../delivery-log.js';
import type { Outcome } from '../leasing.js';
import { histogramOf, noDurations } from './histogram.js';

export type ActivityCounts = Omit<MinuteOfActivity, 'at'>;

export const minuteMs = 60_000;
/** Older minutes are removed when another one begins. */
export const keepActivityMs = 24 * 60 * minuteMs;

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
