/** Maximum difference by which calls may overtake each other: a larger step back means that the clock was set back. */
const toleratedMs = 1_000;

/** The time of a call, in milliseconds since 1970. */
export type CallTime = {
  /**
   * By the caller's clock: when something happened, for operators and for everything that is compared with that clock, such
   * as retention and the day of the statistics.
   */
  readonly now: number;
  /** By the queue's clock: for due times, health and rates. */
  readonly queueNow: number;
};

/**
 * The clock by which deliveries are due. It follows the callers' clock but never goes back: after that was set back, it stays
 * ahead by the difference. Due deliveries stay due, retries keep their delay, and an open circuit breaker or a rate limit ends
 * in time. A queue that stores the latest time continues from it after a restart; then a delivery is late by at most the
 * difference by which the clock was set back since.
 */
export class QueueClock {
  private aheadMs = 0;

  /** `latest`: the stored time to continue from, if any. */
  constructor(private latest = Number.NEGATIVE_INFINITY) {}

  /** The queue's latest time; undefined before the first call. */
  get reached(): number | undefined {
    return Number.isFinite(this.latest) ? this.latest + this.aheadMs : undefined;
  }

  /** The queue's time at the callers' `now`. Detects that their clock was set back. */
  at(now: number): number {
    if (now < this.latest - toleratedMs) {
      this.aheadMs += this.latest - now;
      this.latest = now;
    } else if (now > this.latest) this.latest = now;
    return now + this.aheadMs;
  }

  /** Converts a time of the callers' clock. */
  of(time: number): number {
    return time + this.aheadMs;
  }

  /** Converts a time of the queue's clock to the callers' clock. */
  outside(time: number): number {
    return time - this.aheadMs;
  }
}
