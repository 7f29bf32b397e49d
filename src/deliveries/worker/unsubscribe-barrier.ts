import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { permitMs, type WorkerGates } from './worker-gates.js';

/** Closes the gate of a listener here and in the queue: see `UnsubscribeBarrier`. Resolves with the number of cancelled deliveries. */
export function unsubscribeBarrier(
  gates: WorkerGates,
  queue: Pick<DeliveryQueue, 'closeGate'>,
  otherInstances: boolean,
): { readonly close: (listenerId: string) => Promise<number> } {
  return {
    async close(listenerId) {
      gates.close(listenerId);
      const cancelled = await queue.closeGate(listenerId);
      gates.close(listenerId); // again: a permit taken meanwhile may have seen it open
      if (otherInstances) await permitsExpired();
      return cancelled;
    },
  };
}

/** Measured with the clock of the permits: a timer counts from the start of the event loop's turn, so it may end too early. */
async function permitsExpired(): Promise<void> {
  const since = performance.now();
  for (let left = permitMs; left >= 0; left = permitMs - (performance.now() - since)) await pause(left);
}
