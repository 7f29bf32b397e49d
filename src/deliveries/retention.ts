import type { Logger } from 'pino';
import type { Held, Leases } from '../leases/leases.js';
import { rested } from '../rested.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { watchTrouble } from './trouble.js';

export type Retention = {
  readonly queue: Pick<DeliveryQueue, 'purge'>;
  /** One instance at a time purges. */
  readonly leases: Leases;
  readonly log: Logger;
  /** So long after its end a delivery is forgotten. */
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly pace?: Partial<typeof defaultPace>;
};

/** Small steps with rests in between: deliveries never wait for them. */
const defaultPace = { step: 200, restMs: 250, idleMs: 60_000 };

/** Forgets deliveries that ended long ago, as the lease `retention` lets one instance do. */
export function startRetention({ queue, leases, log, retentionMs, clock, pace }: Retention): Pick<Held, 'stop'> {
  const { step, restMs, idleMs } = { ...defaultPace, ...pace };
  const trouble = watchTrouble(log, 'forgetting old deliveries');

  /** Returns how long to rest, in milliseconds. */
  async function purge(): Promise<number> {
    try {
      const forgotten = await queue.purge({ before: clock() - retentionMs, limit: step });
      trouble.over();
      return forgotten < step ? Math.min(idleMs, Math.max(restMs, retentionMs)) : restMs;
    } catch (error) {
      return trouble.met(error);
    }
  }

  return leases.hold('retention', async ({ signal }) => {
    while (!signal.aborted) await rested(await purge(), signal);
  });
}
