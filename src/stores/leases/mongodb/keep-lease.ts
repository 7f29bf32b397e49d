import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../../kernel/sleep-unless-aborted.js';
import { LeaseLost } from '../lease-lost.js';
import type { LeadershipLease } from '../leases.js';

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
