import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { WorkerGates } from './worker-gates.js';

/** Resolves with a fresh permit, undefined where the gate is closed. Rejects with the queue's error. */
export type RenewPermit = (listenerId: string) => Promise<number | undefined>;

type Waiting = { readonly resolve: (permit: number | undefined) => void; readonly reject: (error: unknown) => void };

/**
 * Renews permits that have run out by looking at the durable gates: for all that wait together, and one look at a time, so
 * that a queue that has become slow is not asked more often for it.
 */
export function permitRenewal(
  queue: Pick<DeliveryQueue, 'closedGates'>,
  gates: Pick<WorkerGates, 'moment'>,
): RenewPermit {
  let waiting = new Map<string, Waiting[]>();
  let looking = false;

  async function look(): Promise<void> {
    looking = true;
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      const permit = gates.moment();
      try {
        const closed = await queue.closedGates([...asked.keys()]);
        for (const [listenerId, all] of asked) {
          for (const { resolve } of all) resolve(closed.has(listenerId) ? undefined : permit);
        }
      } catch (error) {
        for (const { reject } of [...asked.values()].flat()) reject(error);
      }
    }
    looking = false;
  }

  return (listenerId) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(listenerId) ?? [];
      waiting.set(listenerId, [...others, { resolve, reject }]);
      if (!looking) void look();
    });
}
