import { afterStart, allowance, type HookHealth, isHeldBack } from './hook-health.js';

export type AllowanceRequest = {
  /** Number of due deliveries of the hook that there is room for. */
  readonly wanted: number;
  /** Milliseconds since 1970, in queue time. */
  readonly now: number;
  /** The hook's rate limit: deliveries per second; undefined: no limit. */
  readonly perSecond: number | undefined;
  /** A probe of the circuit breaker without an outcome is repeated after this time, in milliseconds. */
  readonly probeMs: number;
};

export type LeaseAllowance = {
  /** Number of deliveries that may be leased. */
  readonly attempts: number;
  /** The hook's health once they are leased; undefined if leasing does not change it. */
  readonly health: HookHealth | undefined;
  /** When the hook's health or rate allows the next delivery, in queue time; undefined: at once. */
  readonly keptBackUntil: number | undefined;
};

/** How many due deliveries of a hook its circuit breaker, backoff and rate limit allow to be leased now. */
export function leaseAllowance(
  health: HookHealth,
  { wanted, now, perSecond, probeMs }: AllowanceRequest,
): LeaseAllowance {
  const { attempts, askAgainAt } = allowance(health, { wanted, now, perSecond });
  if (attempts === 0 || !isHeldBack(health, perSecond))
    return { attempts, health: undefined, keptBackUntil: askAgainAt };
  const started = afterStart(health, { attempts, now, perSecond, probeMs });
  const { askAgainAt: keptBackUntil } = allowance(started, { wanted: 1, now, perSecond });
  return { attempts, health: started, keptBackUntil };
}
