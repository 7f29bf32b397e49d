import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { leaseRequest } from '../support/deliveries/delivery-batches.js';
import { clockSetBackContract } from './delivery-queue/clock-set-back.js';
import type { QueueContext } from './delivery-queue/context.js';
import { enqueueingContract } from './delivery-queue/enqueueing.js';
import { failingListenersContract } from './delivery-queue/failing-listeners.js';
import { forgetPublishedContract } from './delivery-queue/forget-published.js';
import { forgettingContract } from './delivery-queue/forgetting.js';
import { gatesContract } from './delivery-queue/gates.js';
import { leasingContract } from './delivery-queue/leasing.js';
import { orderedListenersContract } from './delivery-queue/ordered-listeners.js';
import { outcomesContract } from './delivery-queue/outcomes.js';
import { pausedListenersContract } from './delivery-queue/paused-listeners.js';
import { purgeContract } from './delivery-queue/purge.js';
import { ratesContract } from './delivery-queue/rates.js';
import { activityContract } from './delivery-queue/reading/activity.js';
import { knownEventsContract } from './delivery-queue/reading/known-events.js';
import { listenersInTroubleContract } from './delivery-queue/reading/listeners-in-trouble.js';
import { logContract } from './delivery-queue/reading/log.js';
import { statisticsContract } from './delivery-queue/reading/statistics.js';
import { waitsContract } from './delivery-queue/reading/waits.js';
import { redeliveryContract } from './delivery-queue/redelivery.js';
import { replaysContract } from './delivery-queue/replays.js';
import { setAsideContract } from './delivery-queue/set-aside.js';
import { waitingEventsContract } from './delivery-queue/waiting-events.js';

const topics: readonly ((context: QueueContext) => void)[] = [
  ...[
    enqueueingContract,
    leasingContract,
    outcomesContract,
    gatesContract,
    pausedListenersContract,
    orderedListenersContract,
  ],
  ...[failingListenersContract, ratesContract, redeliveryContract, replaysContract, setAsideContract],
  ...[logContract, statisticsContract, knownEventsContract, purgeContract, forgettingContract, clockSetBackContract],
  ...[waitsContract, forgetPublishedContract, activityContract, listenersInTroubleContract, waitingEventsContract],
];

/** `open` gives an empty queue at its first call for a `place`, and what is there at later ones. */
export function deliveryQueueContract(name: string, open: (place: string) => Promise<DeliveryQueue> | DeliveryQueue) {
  describe(`delivery queue on ${name}`, () => {
    let place: string;
    let queue: DeliveryQueue;

    beforeEach(async () => {
      place = randomUUID();
      queue = await open(place);
    });
    afterEach(() => queue.close());

    const context: QueueContext = {
      queue: () => queue,
      async leaseOne(now = 1_000) {
        const { deliveries } = await queue.lease(leaseRequest({ now, limit: 1 }));
        const [delivery] = deliveries;
        if (!delivery) throw new Error('nothing was due');
        return delivery;
      },
      async reopen() {
        await queue.close();
        queue = await open(place);
      },
    };
    for (const topic of topics) topic(context);

    it('refuses calls once it is closed, with an error that says so', async () => {
      await queue.close();
      const failure = await queue.counts(1).catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'store_unavailable');
    });
  });
}
