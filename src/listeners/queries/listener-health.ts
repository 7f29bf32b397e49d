import { isoOrNull } from '../../kernel/iso-time.js';
import type { ListedListener, ListenerLog, ListenerState } from '../../queue/listener-log.js';
import type { ListenerHealth } from '../../queue/policy/listener-health.js';
import { maskedHookUrl } from '../hook-url.js';

/** Health of a listener for operators: times in ISO 8601; null: not applicable. */
export type ListenerHealthSummary = {
  /** The circuit breaker: `open` until `openUntil`; `probing`: one attempt decides whether it closes. */
  breaker: 'closed' | 'open' | 'probing';
  openUntil: string | null;
  /** Time since which every attempt has failed, and their number. */
  failingSince: string | null;
  failures: number;
  /** The rate that the listener accepts, lowered after it answered 429 or 503. */
  pacePerSecond: number | null;
  /** The listener has asked for no attempts until then (`Retry-After`). */
  notBefore: string | null;
  lastFailure: LastFailure | null;
  /** Earliest time of the next attempt, if any delivery waits. */
  nextAttemptAt: string | null;
};

/** The latest failed attempt since the last success. `answer`: the beginning of the body. */
type LastFailure = {
  at: string;
  status: number | null;
  error: string | null;
  answer: string | null;
};

function lastFailureOf({ failing }: ListenerHealth): LastFailure | null {
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

/** Reason: it was paused while it failed, its circuit breaker is open, or deliveries are overdue. */
type Trouble = 'breaker' | 'paused' | 'overdue';

/** A listener whose deliveries do not get through. Times in ISO 8601, null where they do not apply. */
export type TroubledListenerSummary = {
  listenerId: string;
  orgId: string;
  /** Masked. */
  hookUrl: string;
  trouble: Trouble;
  /** Time since which no attempt has succeeded, and the number of failures since. */
  failingSince: string | null;
  failedAttempts: number;
  /** End of the time in which the circuit breaker holds back all deliveries. */
  openUntil: string | null;
  /** Due time of its longest waiting delivery. */
  dueSince: string | null;
  lastFailure: LastFailure | null;
  waiting: number;
  held: number;
};

/** A delivery that is due for longer is overdue: an attempt and its retries by a worker take less. */
export const overdueAfterMs = 60_000;

/** Lists at most `limit` listeners in trouble of all organisations: see `ListenerLog.listeners`. `now`: milliseconds since 1970. */
export async function listenersInTrouble(
  queue: Pick<ListenerLog, 'listeners'>,
  { limit, now }: { limit: number; now: number },
): Promise<readonly TroubledListenerSummary[]> {
  return (await queue.listeners({ dueBefore: now - overdueAfterMs, limit })).map(troubledSummary);
}

const troubledSummary = ({
  hookUrl,
  health,
  paused,
  dueSince,
  ...listener
}: ListedListener): TroubledListenerSummary => ({
  ...listener,
  hookUrl: maskedHookUrl(hookUrl),
  trouble: paused ? 'paused' : health.breaker ? 'breaker' : 'overdue',
  failingSince: isoOrNull(health.failing?.since),
  failedAttempts: health.failing?.attempts ?? 0,
  openUntil: isoOrNull(health.breaker?.openUntil),
  dueSince: isoOrNull(dueSince),
  lastFailure: lastFailureOf(health),
});
