import type { NotifyChange } from '../../listeners/notify-change.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { queuedListenerOf } from './queued-listener-of.js';

/** Hands a change to the queue at once. The fan-out repeats it later, so a crash before this call loses nothing. */
export const notifyQueue =
  (queue: Pick<DeliveryQueue, 'enqueue'>, clock: () => number): NotifyChange =>
  async ({ details, ...change }) => {
    const batch = new FanOutBatchBuilder();
    batch.addListener(queuedListenerOf(details, change));
    await queue.enqueue(batch.take(), clock());
  };
