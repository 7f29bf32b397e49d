import type { ListenerState } from '../../queue/listener-registry.js';
import type { ListenerHealth } from '../../queue/policy/listener-health.js';
import { isoOrNull } from '../summaries.js';

/** Health of a listener for operators: times in ISO 8601; null: not applicable. */
export type ListenerHealthSummary = {
  /** The circuit breaker: `open` until `openUntil`; `probing`: one attempt decides whether it closes. */
  readonly breaker: 'closed' | 'open' | 'probing';
  readonly openUntil: string | null;
  /** Since when every attempt has failed, and how many there were. */
  readonly failingSince: string | null;
  readonly failures: number;
  /** The rate that the listener accepts, lowered after it answered 429 or 503. */
  readonly pacePerSecond: number | null;
  /** The listener has asked for no attempts until then (`Retry-After`). */
  readonly notBefore: string | null;
  readonly lastFailure: LastFailure | null;
  /** Earliest time of the next attempt, if any delivery waits. */
  readonly nextAttemptAt: string | null;
};

/** The latest failed attempt since the last success. `answer`: the beginning of the body. */
export type LastFailure = {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
};

export function lastFailureOf({ failing }: ListenerHealth): LastFailure | null {
  if (!failing?.last) return null;
  const { at, status = null, error = null, answer = null } = failing.last;
  return { at: new Date(at).toISOString(), status, error, answer };
}

/** `state`: undefined if the queue does not know the listener, because nothing was ever sent to it. */
export function listenerHealthSummary(state: ListenerState | undefined): ListenerHealthSummary {
  const { breaker, failing, pace, notBefore } = state?.health ?? {};
  return {
    breaker: breaker === undefined ? 'closed' : breaker.probing ? 'probing' : 'open',
    openUntil: isoOrNull(breaker?.openUntil),
    failingSince: isoOrNull(failing?.since),
    failures: failing?.attempts ?? 0,
    pacePerSecond: pace === undefined ? null : Math.round(pace.perSecond * 100) / 100,
    notBefore: isoOrNull(notBefore),
    lastFailure: state ? lastFailureOf(state.health) : null,
    nextAttemptAt: isoOrNull(
      state?.nextDue === undefined ? undefined : Math.max(state.nextDue, breaker?.openUntil ?? 0, notBefore ?? 0),
    ),
  };
}
