import type { AttemptReport } from '../delivery-log.js';
import type { Outcome } from '../leasing.js';
import {
  type Attempts,
  afterAttempts,
  afterRelease,
  type FailureReport,
  type ListenerHealth,
} from './listener-health.js';

export type ListenerAttempts = Attempts & {
  /** Including those on our side. */
  failures: number;
  exhausted: number;
  durationMs: number;
};

export const noAttempts: ListenerAttempts = {
  succeeded: 0,
  failed: 0,
  refused: { tooMany: 0, unavailable: 0 },
  failures: 0,
  exhausted: 0,
  durationMs: 0,
};

export function count(attempts: ListenerAttempts, outcome: Exclude<Outcome, { kind: 'released' }>): ListenerAttempts {
  const { kind, report } = outcome;
  const durationMs = attempts.durationMs + report.durationMs;
  if (kind === 'succeeded') return { ...attempts, durationMs, succeeded: attempts.succeeded + 1 };
  const { tooMany, unavailable } = attempts.refused;
  return {
    ...attempts,
    durationMs,
    failures: attempts.failures + 1,
    exhausted: attempts.exhausted + Number(kind === 'exhausted'),
    failed: attempts.failed + Number(outcome.byListener),
    refused: {
      tooMany: tooMany + Number(outcome.byListener && report.status === 429),
      unavailable: unavailable + Number(outcome.byListener && report.status === 503),
    },
    notBefore: latest(attempts.notBefore, outcome.notBefore),
    lastFailure: outcome.byListener ? failureOf(report) : attempts.lastFailure,
  };
}

/** Written with the health of a listener: long enough to recognise the answer. */
const maxAnswerLength = 200;

const failureOf = ({ status, error, answer }: AttemptReport): FailureReport => ({
  ...(status !== undefined && { status }),
  ...(error !== undefined && { error }),
  ...(answer !== undefined && { answer: answer.slice(0, maxAnswerLength) }),
});

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

export type RecordedOutcomes = {
  attempts: Attempts | undefined;
  /** A delivery was released without an attempt: a probe of the circuit breaker may be repeated. */
  released: boolean;
};

export type HealthUpdate = {
  before: ListenerHealth;
  /** The stored one if the outcomes do not affect it. */
  health: ListenerHealth;
  isTroubled: boolean;
  hasClosed: boolean;
};

/** `now`: the end of the last attempt, in queue time. */
export function updateHealth(
  stored: ListenerHealth,
  { attempts, released }: RecordedOutcomes,
  now: number,
): HealthUpdate {
  const before = released ? afterRelease(stored, now) : stored;
  if (!attempts) return { before, health: before, isTroubled: false, hasClosed: false };
  const health = afterAttempts(before, attempts, now);
  const hasClosed = before.breaker !== undefined && health.breaker === undefined;
  return { before, health, isTroubled: attempts.failed > 0 || hasClosed, hasClosed };
}
