import type { Logger } from 'pino';
import { alignedDelay } from '../../../kernel/aligned-delay.js';
import { everyInterval } from '../../../kernel/shared-interval.js';
import { abortedByAny, sleepUnlessAborted } from '../../../kernel/unless-aborted.js';
import { type LeadershipLease, LeaseLost } from '../leases.js';
import type { HeldRecord } from './lease-records.js';

type LeaseTimes = {
  /** Other instances take over after this time without a renewal. */
  leaseMs: number;
  /** Time before the expiry at which the holder stops trusting its lease. */
  marginMs: number;
  heartbeatMs: number;
};

type Keeper = {
  /** Returns the names of those that are still held. */
  renew: (held: readonly HeldRecord[]) => Promise<ReadonlySet<string>>;
  times: LeaseTimes;
  log: Logger;
  /** A monotonic clock. */
  nowMs?: () => number;
};

export type KeepLease = HeldRecord & {
  /** The monotonic clock before the lease was requested. */
  since: number;
  /** The lease is still renewed until the work has ended. */
  stopping: AbortSignal;
};

export type KeptLease = {
  lease: LeadershipLease;
  /** Call when the work has ended. True if the lease was lost before. */
  end: () => Promise<boolean>;
};

type Kept = HeldRecord & {
  isHeld: () => boolean;
  lose: () => void;
  renewed: (sentAt: number) => void;
};

/**
 * Renews all leases of an instance at once, each until `end`, or until another instance holds it or may. Time counts
 * from before a renewal was sent, so that a lease is never trusted for longer than others wait.
 */
export function leaseKeeper({
  renew,
  times,
  log,
  nowMs = () => performance.now(),
}: Keeper): (lease: KeepLease) => KeptLease {
  const { leaseMs, marginMs, heartbeatMs } = times;
  const kept = new Set<Kept>();
  let renewing: Promise<boolean> | undefined;
  let ended = new AbortController();

  /** Returns false where it failed. */
  async function renewAll(): Promise<boolean> {
    const held = [...kept];
    const sentAt = nowMs();
    try {
      const still = await renew(held.map(({ name, holder, term }) => ({ name, holder, term })));
      for (const lease of held) {
        if (still.has(lease.name) && lease.isHeld())
          lease.renewed(sentAt); // work that saw it expired has given up
        else lease.lose();
      }
      return true;
    } catch (error) {
      log.warn({ err: error, leases: held.map(({ name }) => name) }, 'the leases could not be renewed');
      return false;
    }
  }

  async function keep({ signal }: AbortController): Promise<void> {
    // Does not wait for a renewal, which may take longer than a lease is trusted.
    const stopWatching = everyInterval(heartbeatMs / 2, () => {
      for (const lease of kept) if (!lease.isHeld()) lease.lose();
    });
    let hasRenewed = true;
    while (await sleepUnlessAborted(alignedDelay(hasRenewed ? heartbeatMs : heartbeatMs / 4), signal)) {
      renewing = renewAll();
      hasRenewed = await renewing;
    }
    stopWatching();
  }

  function add(lease: Kept): void {
    kept.add(lease);
    if (kept.size > 1) return;
    ended = new AbortController();
    void keep(ended);
  }

  return ({ name, holder, term, since, stopping }) => {
    const lost = new AbortController();
    let renewedAt = since;
    const isHeld = () => !lost.signal.aborted && nowMs() - renewedAt < leaseMs - marginMs;
    const lose = () => {
      lost.abort(new LeaseLost(name, term));
      remove();
    };
    const renewed = (sentAt: number) => {
      renewedAt = sentAt;
    };
    const lease: Kept = { name, holder, term, isHeld, lose, renewed };
    const remove = () => {
      if (kept.delete(lease) && kept.size === 0) ended.abort();
    };
    add(lease);
    return {
      lease: { term, signal: abortedByAny(stopping, lost.signal), isHeld },
      async end() {
        remove();
        await renewing;
        const before = lost.signal.aborted;
        lose();
        return before;
      },
    };
  };
}
