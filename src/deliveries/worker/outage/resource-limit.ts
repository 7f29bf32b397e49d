/** The attempts in flight that descriptors and memory allow, found by failures. */
export type ResourceLimit = {
  /** Returns whether this reduced the limit. */
  readonly exceeded: (beganAt: number, inFlight: number) => boolean;
  readonly maxInFlight: () => number;
};

/** Time without a failure after which the limit is doubled. */
const growMs = 10_000;
/** More than `DELIVERY_CONCURRENCY` allows. */
const unlimited = 10_000;

/** Halves the limit once for all attempts that were in flight together, and doubles it while resources suffice. */
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
