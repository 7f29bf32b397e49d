/** Limits the attempts in flight to what the descriptors and the memory of this process allow, found out by failures. */
export type ResourceLimit = {
  /** An attempt that began at `beganAt` found none left, while `inFlight` were in flight. Returns whether this reduced the limit. */
  readonly exceeded: (beganAt: number, inFlight: number) => boolean;
  /** Maximum number of attempts in flight. */
  readonly maxInFlight: () => number;
};

/** Time without a failure after which the limit is doubled. */
const growMs = 10_000;
/** Above this, which is more than `DELIVERY_CONCURRENCY` allows, the limit is dropped. */
const unlimited = 10_000;

/**
 * Halves the limit when resources run out, once for all attempts that were in flight together, and doubles it while they
 * suffice. `now`: milliseconds of a monotonic clock.
 */
export function resourceLimit(now: () => number): ResourceLimit {
  let reduced: { readonly at: number; readonly to: number } | undefined;

  function maxInFlight(): number {
    if (!reduced) return Number.POSITIVE_INFINITY;
    const limit = reduced.to * 2 ** Math.floor((now() - reduced.at) / growMs);
    if (limit <= unlimited) return limit;
    reduced = undefined;
    return Number.POSITIVE_INFINITY;
  }

  return {
    maxInFlight,
    exceeded(beganAt, inFlight) {
      if (reduced && beganAt <= reduced.at) return false;
      reduced = { at: now(), to: Math.max(1, Math.floor(Math.min(inFlight, maxInFlight()) / 2)) };
      return true;
    },
  };
}
