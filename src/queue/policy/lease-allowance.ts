import { afterStart, allowance, isHeldBack, type ListenerHealth } from './listener-health.js';

export type AllowanceRequest = {
  /** Number of due deliveries of the listener that there is capacity for. */
  requested: number;
  now: number;
  perSecond: number | undefined;
  /** A probe of the circuit breaker without an outcome is repeated after this time, in milliseconds. */
  probeMs: number;
};

export type LeaseAllowance = {
  attempts: number;
  /** Undefined if leasing does not change it. */
  health: ListenerHealth | undefined;
  /** Time at which health and rate allow the next delivery, in queue time; undefined: at once. */
  keptBackUntil: number | undefined;
};

/** Applies circuit breaker, backoff and rate limit. */
export function leaseAllowance(
  health: ListenerHealth,
  { requested, now, perSecond, probeMs }: AllowanceRequest,
): LeaseAllowance {
  const { attempts, askAgainAt } = allowance(health, { requested, now, perSecond });
  if (attempts === 0 || !isHeldBack(health, perSecond))
    return { attempts, health: undefined, keptBackUntil: askAgainAt };
  const started = afterStart(health, { attempts, now, perSecond, probeMs });
  const { askAgainAt: keptBackUntil } = allowance(started, { requested: 1, now, perSecond });
  return { attempts, health: started, keptBackUntil };
}
