import type { NotifyChange } from '../../registrations/listeners/notify-change.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { targetOf } from './target-of.js';

/** Tells the queue at once what the fan-out will tell it too: what a crash leaves out here, that makes good. */
export const notifyQueue =
  (queue: Pick<DeliveryQueue, 'enqueue'>, clock: () => number): NotifyChange =>
  async ({ registration, ...change }) => {
    const part = new FanOutBatchBuilder();
    part.target(targetOf(registration, change));
    await queue.enqueue(part.take(), clock());
  };
