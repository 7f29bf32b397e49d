import { testDeliverySummary } from '../../deliveries/operate/summaries.js';
import { sendTestDelivery } from '../../deliveries/operate/test-delivery.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { deliverableHook } from '../../registrations/listeners/queries/deliverable-hook.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { testListenerRoute } from './contracts/listeners.js';
import { type BoundRoute, handle } from './routing/handle.js';
import { hookOwner, orNotFound } from './routing/hook-owner.js';

export type ListenerTestRoutes = {
  readonly operations: { readonly store: EventStore; readonly findHook: FindHook };
  readonly queue: Pick<DeliveryQueue, 'enqueue' | 'list' | 'attempts' | 'cancelReplay'>;
};

const missing = 'no listener has this ID';

export const listenerTestRoutes = ({ operations, queue }: ListenerTestRoutes): readonly BoundRoute[] => [
  handle(
    testListenerRoute,
    async ({ params: { listenerId } }) => {
      const { orgId } = await orNotFound(() => operations.findHook(listenerId), missing);
      const hook = await deliverableHook(operations, { orgId, listenerId });
      return testDeliverySummary(await sendTestDelivery({ queue, clock: Date.now }, hook));
    },
    hookOwner(operations.findHook, missing),
  ),
];
