import type { Db } from 'mongodb';

/**
 * The time of a call, in milliseconds since 1970. `now`: by the queue's clock, for due times. `serverNow`: by the server's
 * clock, for lease expiries: it is the same for all instances, whose own clocks may differ or be set.
 */
export type Times = { now: number; serverNow: number };

/** Converts server time to queue time. */
export const toQueueTime = (at: Date, { now, serverNow }: Times): Date => new Date(now + at.getTime() - serverNow);

/** Interval between two requests for the server's time. In between, the monotonic clock gives the time elapsed. */
const askEveryMs = 60_000;

/** The server's clock. Its maximum error is the round-trip time of the latest request. */
export class ServerClock {
  private aheadMs = 0;
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(private readonly db: Db) {}

  async now(): Promise<number> {
    if (performance.now() - this.askedAt > askEveryMs) {
      this.asking ??= this.ask().finally(() => {
        this.asking = undefined;
      });
      await this.asking;
    }
    return performance.now() + this.aheadMs;
  }

  private async ask(): Promise<void> {
    const before = performance.now();
    const { localTime } = await this.db.command({ hello: 1 });
    const after = performance.now();
    this.aheadMs = localTime.getTime() - (before + after) / 2;
    this.askedAt = after;
  }
}
