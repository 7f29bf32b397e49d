/** A larger step back means that the clock was set back. */
const toleratedMs = 1_000;

/** Milliseconds since 1970. */
export type CallTime = {
  /** Time of the caller's clock, for operators and retention. */
  now: number;
  /** Time of the queue's clock, for due times, health and rates. */
  queueNow: number;
};

/**
 * The clock by which deliveries are due. It follows the callers' clock and never goes back, so that due deliveries stay
 * due and retries, circuit breakers and rates end in time. A queue continues from the stored latest time after a
 * restart.
 */
export class QueueClock {
  private aheadMs = 0;

  /** `latest`: the stored time to continue from, if any. */
  constructor(private latest = Number.NEGATIVE_INFINITY) {}

  /** Undefined before the first call. */
  get reached(): number | undefined {
    return Number.isFinite(this.latest) ? this.latest + this.aheadMs : undefined;
  }

  /** Detects that the callers' clock was set back. */
  at(now: number): number {
    if (now < this.latest - toleratedMs) {
      this.aheadMs += this.latest - now;
      this.latest = now;
    } else if (now > this.latest) this.latest = now;
    return now + this.aheadMs;
  }

  of(time: number): number {
    return time + this.aheadMs;
  }

  outside(time: number): number {
    return time - this.aheadMs;
  }
}
