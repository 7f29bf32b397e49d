import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../../kernel/sleep-unless-aborted.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { type LeadershipLease, LeaseLost, type LeaseStatus, type Leases } from '../leases.js';
import { expiry, openLeaseRecords } from './lease-records.js';

const defaultTimings = {
  /** Other instances take over after this time without a renewal. */
  leaseMs: 4_000,
  /** Time before the expiry at which the holder stops trusting its lease. */
  marginMs: 1_000,
  beatMs: 1_000,
  /** Between two checks of a waiting instance. */
  pollMs: 100,
  retryMs: 1_000,
};
type LeaseTimings = typeof defaultTimings;

export type OpenMongoLeases = {
  readonly database: MongoDatabase;
  readonly log: Logger;
  /** For operators. */
  readonly instance?: string;
  readonly timings?: Partial<LeaseTimings>;
};

/**
 * Compares no two clocks: the holder raises a counter by compare and set; another instance takes over after seeing one
 * value for a whole lease time on its own monotonic clock.
 */
export function openMongoLeases({ database, log, instance = hostname(), timings }: OpenMongoLeases): Leases {
  const records = openLeaseRecords(database.db);
  const times = { ...defaultTimings, ...timings };

  return {
    hold(name, work) {
      const stopping = new AbortController();
      const holder = `${instance}/${process.pid}/${randomUUID()}`; // unique to this process
      const isFree = expiry(holder, times.leaseMs);
      let status: LeaseStatus = { name, held: false, holder: undefined };

      /** `since`: before the term was requested. Undefined where the lease is not available yet. */
      async function tryToTake(): Promise<{ readonly term: bigint; readonly since: number } | undefined> {
        const seen = await records.read(name);
        status = { name, held: false, holder: seen?.holder ?? undefined };
        if (!isFree(seen)) return undefined;
        const since = performance.now();
        const term = await records.take(name, holder, seen);
        return term === undefined ? undefined : { term, since };
      }

      async function lead(term: bigint, since: number): Promise<void> {
        status = { name, held: true, holder };
        log.info({ lease: name, term }, 'this instance holds the lease');
        const renew = (beat: bigint) => withMongoErrors(() => records.renew(name, holder, term, beat));
        const kept = keepLease({ name, term, since, renew, times, log, stopping: stopping.signal });
        try {
          await work(kept.lease);
          if (!kept.lease.signal.aborted) throw new Error(`the work under the lease ${name} has ended`);
        } finally {
          const lost = await kept.end();
          status = { name, held: false, holder: undefined };
          log.info({ lease: name, term, lost }, 'this instance no longer holds the lease');
          await giveBack(term);
        }
      }

      /** A failure delays the others until the lease expires. */
      async function giveBack(term: bigint): Promise<void> {
        await withMongoErrors(() => records.giveBack(name, holder, term)).catch((error: unknown) =>
          log.warn({ err: error, lease: name, term }, 'the lease could not be given back'),
        );
      }

      async function run(): Promise<void> {
        while (!stopping.signal.aborted) {
          try {
            const taken = await withMongoErrors(tryToTake);
            if (taken && stopping.signal.aborted) await giveBack(taken.term);
            else if (taken) await lead(taken.term, taken.since);
            else await sleepUnlessAborted(times.pollMs, stopping.signal);
          } catch (error) {
            report(error);
            await sleepUnlessAborted(times.retryMs, stopping.signal);
          }
        }
      }

      function report(error: unknown): void {
        const message = error instanceof Error ? error.message : String(error);
        if (status.error?.message !== message) log.error({ err: error, lease: name }, 'the lease, or the work, failed');
        status = { ...status, held: false, error: { message } };
      }

      const running = run();
      return {
        status: () => status,
        async stop() {
          stopping.abort();
          await running;
        },
      };
    },
  };
}

export type KeepLease = {
  readonly name: string;
  readonly term: bigint;
  /** `performance.now()` from before the lease was requested. */
  readonly since: number;
  /** False where another instance holds it. */
  readonly renew: (beat: bigint) => Promise<boolean>;
  readonly times: { readonly leaseMs: number; readonly marginMs: number; readonly beatMs: number };
  readonly log: Logger;
  /** The lease is still renewed until the work has ended. */
  readonly stopping: AbortSignal;
};

export type KeptLease = {
  readonly lease: LeadershipLease;
  /** Call when the work has ended. True if the lease was lost before. */
  readonly end: () => Promise<boolean>;
};

/**
 * Renews until `end`, or until another instance holds the lease or may. Time counts from before a renewal was sent, so
 * that the lease is never trusted for longer than others wait.
 */
export function keepLease({ name, term, since, renew, times, log, stopping }: KeepLease): KeptLease {
  const { leaseMs, marginMs, beatMs } = times;
  const lost = new AbortController();
  const ended = new AbortController();
  let renewedAt = since;

  const lose = () => lost.abort(new LeaseLost(name, term));
  const isHeld = () => !lost.signal.aborted && performance.now() - renewedAt < leaseMs - marginMs;

  /** Does not wait for a renewal, which may take longer than the lease is trusted. */
  const watch = setInterval(() => {
    if (!isHeld()) lose();
  }, beatMs / 4);

  async function keep(): Promise<void> {
    for (let beat = 1n; await sleepUnlessAborted(beatMs, ended.signal); beat += 1n) {
      if (lost.signal.aborted) return;
      const sentAt = performance.now();
      try {
        if (await renew(beat)) renewedAt = sentAt;
        else lose();
      } catch (error) {
        log.warn({ err: error, lease: name, term }, 'the lease could not be renewed');
      }
    }
  }
  const keeping = keep();

  return {
    lease: { term, signal: AbortSignal.any([stopping, lost.signal]), isHeld },
    async end() {
      ended.abort();
      await keeping;
      clearInterval(watch);
      const before = lost.signal.aborted;
      lose();
      return before;
    },
  };
}
