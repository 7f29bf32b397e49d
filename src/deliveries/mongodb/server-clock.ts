import type { Db } from 'mongodb';

/**
 * The time of a call, in milliseconds since 1970. `now`: the callers', by which deliveries are due. `moment`: the server's, by
 * which leases end: it is one for all instances, and their own clocks may differ, and be set, as they like.
 */
export type Times = { readonly now: number; readonly moment: number };

/** The callers' time when it will be that moment. */
export const callersTime = (at: Date, { now, moment }: Times): Date => new Date(now + at.getTime() - moment);

/** So often the server is asked. In between, the monotonic clock says how much later it is. */
const askEveryMs = 60_000;

/** The server's clock. Each look at it is off by the time that its answer took at most. */
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
