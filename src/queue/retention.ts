import type { Logger } from 'pino';
import { watchFailures } from '../kernel/failures.js';
import { repeatUntilAborted } from '../kernel/unless-aborted.js';
import type { HeldLease, Leases } from '../stores/leases/leases.js';
import type { ForgetStep, QueueKeeping } from './keeping.js';
import { keepHalfHoursMs } from './policy/activity.js';

export type RetentionTimes = {
  retentionMs: number;
  /** Time for which a flow event without deliveries is known after it was recorded. */
  publishMemoryMs: number;
};

export type Retention = RetentionTimes & {
  queue: QueueKeeping;
  leases: Leases;
  log: Logger;
  clock: () => number;
  pace?: Partial<typeof defaultPace>;
};

/**
 * Deliveries wait for about ten milliseconds at most: the commit comes after `withinMs` and takes three times as long
 * where bodies are large.
 */
const defaultPace = { step: 1_000, withinMs: 2, idleMs: 60_000 };

/** Deliveries keep nine tenths of the time. */
const restsPerStep = 9;
const minRestMs = 10;
const maxRestMs = 250;

export const restAfter = (tookMs: number): number => Math.min(Math.max(restsPerStep * tookMs, minRestMs), maxRestMs);

/** A year, and the month to compare with. */
const keepDaysMs = 400 * 86_400_000;
const daysEveryMs = 86_400_000;

/** Resolves with whether another step is needed. */
type Step = () => Promise<boolean>;

/** Forgets old deliveries, then old flow events, adds old half hours to their days, and once a day forgets old days, under the lease `retention`. */
export function startRetention({ log, leases, pace, ...settings }: Retention): Pick<HeldLease, 'stop'> {
  const times = { ...defaultPace, ...pace };
  const failures = watchFailures(log, 'forgetting old deliveries');
  const roundOf = rounds({ ...settings, ...times });
  let round: Step[] = [];

  async function step(): Promise<number> {
    if (round.length === 0) round = roundOf();
    const began = performance.now();
    if (!(await round[0]?.())) round.shift();
    failures.recovered();
    if (round.length > 0) return restAfter(performance.now() - began);
    return Math.min(times.idleMs, Math.max(maxRestMs, Math.min(settings.retentionMs, settings.publishMemoryMs)));
  }

  return leases.hold('retention', ({ signal }) => repeatUntilAborted(signal, step, failures.record));
}

/** Rows that become old during a round wait for the next one: otherwise a round would not end. */
function rounds({
  queue,
  retentionMs,
  publishMemoryMs,
  clock,
  step: limit,
  withinMs,
}: Omit<Retention, 'leases' | 'log' | 'pace'> & typeof defaultPace): () => Step[] {
  let daysAt = Number.NEGATIVE_INFINITY;

  const walk = (step: ForgetStep): Step => {
    let after: string | undefined;
    return async () => {
      after = (await queue.forget({ ...step, after } as ForgetStep)).next;
      return after !== undefined;
    };
  };

  return () => {
    const now = clock();
    const steps = [
      walk({ of: 'deliveries', before: now - retentionMs, limit, withinMs }),
      walk({ of: 'flowEvents', before: now - publishMemoryMs, now, limit, withinMs }),
      walk({ of: 'halfHours', before: now - keepHalfHoursMs, limit, withinMs }),
    ];
    if (now - daysAt < daysEveryMs) return steps;
    daysAt = now;
    return [...steps, walk({ of: 'days', before: now - keepDaysMs, limit, withinMs })];
  };
}
