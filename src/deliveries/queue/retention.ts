import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import type { HeldLease, Leases } from '../../stores/leases/leases.js';
import type { DeliveryQueue } from './delivery-queue.js';

export type Retention = {
  readonly queue: Pick<DeliveryQueue, 'purge'>;
  /** One instance at a time purges. */
  readonly leases: Leases;
  readonly log: Logger;
  /** Interval between the end of a delivery and its removal. */
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly pace?: Partial<typeof defaultPace>;
};

/**
 * Limits of one step, so that deliveries wait for about ten milliseconds at most: the commit comes after `withinMs` and takes
 * three times as long where bodies are large.
 */
const defaultPace = { step: 1_000, withinMs: 2, idleMs: 60_000 };

/** Ratio of pause to work: deliveries keep nine tenths of the time. */
const restsPerStep = 9;
const minRestMs = 10;
const maxRestMs = 250;

/** How long to rest after a step that took so long, all in milliseconds. */
export const restAfter = (tookMs: number): number => Math.min(Math.max(restsPerStep * tookMs, minRestMs), maxRestMs);

/** Forgets deliveries that ended long ago, as the lease `retention` lets one instance do. */
export function startRetention({ queue, leases, log, retentionMs, clock, pace }: Retention): Pick<HeldLease, 'stop'> {
  const { step, withinMs, idleMs } = { ...defaultPace, ...pace };
  const trouble = watchTrouble(log, 'forgetting old deliveries');
  /** What ends up behind it meanwhile is for the next round: otherwise there is always a little more to forget. */
  let before: number | undefined;

  /** Returns how long to rest, in milliseconds. */
  async function purge(): Promise<number> {
    try {
      before ??= clock() - retentionMs;
      const began = performance.now();
      const forgotten = await queue.purge({ before, limit: step, withinMs });
      trouble.over();
      if (forgotten > 0) return restAfter(performance.now() - began);
      before = undefined;
      return Math.min(idleMs, Math.max(maxRestMs, retentionMs));
    } catch (error) {
      return trouble.met(error);
    }
  }

  return leases.hold('retention', async ({ signal }) => {
    while (!signal.aborted) await sleepUnlessAborted(await purge(), signal);
  });
}
