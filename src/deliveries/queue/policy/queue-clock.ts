/** Calls may overtake each other by as much without the clock having been set back. */
const toleratedMs = 1_000;

/**
 * The time by which deliveries are due. It is the callers' own, except that it does not go back: where the wall clock is
 * set back, it is ahead of that from then on, so that what was due stays due, what waits waits as long as it was going to,
 * and an open breaker or a rate ends when it should. What is kept of it goes with what is kept in the queue: it goes on from
 * there after a restart, so that nothing is later than its schedule by more than the clock was set back since.
 */
export class QueueClock {
  private aheadMs = 0;

  /** `latest`: where it goes on from, if it has been somewhere. */
  constructor(private latest = Number.NEGATIVE_INFINITY) {}

  /** The queue's latest time; undefined before the first call. */
  get reached(): number | undefined {
    return Number.isFinite(this.latest) ? this.latest + this.aheadMs : undefined;
  }

  /** The queue's time at the callers' `now`. */
  at(now: number): number {
    if (now < this.latest - toleratedMs) {
      this.aheadMs += this.latest - now;
      this.latest = now;
    } else if (now > this.latest) this.latest = now;
    return now + this.aheadMs;
  }

  /** The queue's time for a time of the callers'. */
  of(time: number): number {
    return time + this.aheadMs;
  }

  /** The callers' time for a time of the queue's. */
  outside(time: number): number {
    return time - this.aheadMs;
  }
}
