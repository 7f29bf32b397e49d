import type { TellChange } from '../../registrations/listeners/tell-change.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { FanOutPart } from './fan-out-part.js';
import { targetOf } from './target-of.js';

/** Tells the queue at once what the fan-out will tell it too: what a crash leaves out here, that makes good. */
export const tellQueue =
  (queue: Pick<DeliveryQueue, 'enqueue'>, clock: () => number): TellChange =>
  async ({ registration, ...change }) => {
    const part = new FanOutPart();
    part.target(targetOf(registration, change));
    await queue.enqueue(part.take(), clock());
  };
