import { randomUUID } from 'node:crypto';
import type { LeasedBatch, LeaseRequest } from '../../queue/leasing.js';
import type { Shared } from '../shared.js';
import type { NewLease } from './delivery-leases.js';
import type { Heartbeat } from './heartbeat.js';
import type { LeasedHere } from './held-deliveries.js';

/** Lease that ends with a call of `hold` or `abandon`; until then this instance raises its heartbeat. */
export type BegunLease = NewLease & {
  term: Required<Pick<LeasedBatch, 'expiresAt' | 'isHeld'>>;
  hold: (leased: readonly LeasedHere[]) => void;
  /** The call that leases has failed: nothing that it may have leased will be attempted. */
  abandon: () => void;
};

export type BeginLease = (request: Pick<LeaseRequest, 'now' | 'leaseMs'>) => Promise<BegunLease>;

export function openBeginLease(
  { clock, held }: Pick<Shared, 'clock' | 'held'>,
  heartbeat: Pick<Heartbeat, 'life'>,
): BeginLease {
  return async ({ now, leaseMs }) => {
    const begun = held.begin();
    const until = performance.now() + leaseMs;
    try {
      const [serverNow, life] = await Promise.all([clock.now(), heartbeat.life()]);
      const token = `${life.id} ${randomUUID()}`; // see `openEndLeases`
      const expiresAt = new Date(serverNow + leaseMs);
      return {
        token,
        now: new Date(now),
        expiresAt,
        term: { expiresAt: until, isHeld: life.isCurrent },
        hold(leased) {
          held.add(leased, expiresAt, leaseMs);
          begun.end();
        },
        abandon() {
          held.abandon(token, leaseMs);
          begun.end();
        },
      };
    } catch (error) {
      begun.end();
      throw error;
    }
  };
}
