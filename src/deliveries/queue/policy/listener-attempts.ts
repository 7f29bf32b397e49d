import type { Outcome } from '../leasing.js';
import type { Attempts } from './listener-health.js';

/** What came of attempts to one listener, for its health and for its statistics. */
export type ListenerAttempts = Attempts & {
  /** Failed attempts, including those that failed for reasons on our side. */
  readonly failures: number;
  readonly exhausted: number;
  readonly durationMs: number;
};

export const noAttempts: ListenerAttempts = {
  succeeded: 0,
  failed: 0,
  refused: { tooMany: 0, unavailable: 0 },
  failures: 0,
  exhausted: 0,
  durationMs: 0,
};

/** With one more. */
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
  };
}

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;
