import type { Db } from 'mongodb';

/**
 * The time of a call, in milliseconds since 1970. `now`: the callers' time, which due times are in. `moment`: the
 * server's time, which lease expiries are in: it is the same for all instances, whose own clocks may differ or be set.
 */
export type Times = { readonly now: number; readonly moment: number };

/** Converts server time to the callers' time. */
export const callersTime = (at: Date, { now, moment }: Times): Date => new Date(now + at.getTime() - moment);

/** Interval between two requests for the server's time. In between, the monotonic clock gives the time elapsed. */
const askEveryMs = 60_000;

/** The server's clock. Its maximum error is the round-trip time of the latest request. */
export class ServerClock {
  private aheadMs = 0;
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(private readonly db: Db) {}

  async moment(): Promise<number> {
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
