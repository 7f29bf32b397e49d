import { type Attempts, afterAttempts, afterRelease, type ListenerHealth } from './listener-health.js';

export type RecordedOutcomes = {
  /** Undefined if no attempt was made. */
  readonly attempts: Attempts | undefined;
  /** A delivery was given back without an attempt: a probe of the circuit breaker may be made again. */
  readonly released: boolean;
};

export type HealthUpdate = {
  /** The health before the attempts. */
  readonly before: ListenerHealth;
  /** Identical with the stored one if the outcomes say nothing about the listener. */
  readonly health: ListenerHealth;
  /** An attempt has failed, or the circuit breaker has closed: of interest to the caller of `record`. */
  readonly isTroubled: boolean;
  readonly hasClosed: boolean;
};

/** The health of a listener after recorded outcomes, the last of which ended at `now`: milliseconds since 1970, in queue time. */
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
