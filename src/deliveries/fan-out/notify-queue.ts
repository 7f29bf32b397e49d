import type { NotifyChange } from '../../registrations/listeners/notify-change.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { queuedHookOf } from './queued-hook-of.js';

/** Hands a change to the queue at once. The fan-out repeats it later, so a crash before this call loses nothing. */
export const notifyQueue =
  (queue: Pick<DeliveryQueue, 'enqueue'>, clock: () => number): NotifyChange =>
  async ({ registration, ...change }) => {
    const batch = new FanOutBatchBuilder();
    batch.addHook(queuedHookOf(registration, change));
    await queue.enqueue(batch.take(), clock());
  };
