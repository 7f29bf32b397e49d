import { testDeliverySummary } from '../../deliveries/operate/summaries.js';
import { sendTestDelivery } from '../../deliveries/operate/test-delivery.js';
import { tryRegistered } from '../../deliveries/operate/try-event.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import { deliverableHook } from '../../registrations/listeners/queries/deliverable-hook.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { testListenerRoute, tryListenerRoute } from './contracts/listeners.js';
import { type BoundRoute, handle } from './routing/handle.js';
import { hookOwner, orNotFound } from './routing/hook-owner.js';

export type ListenerTestRoutes = {
  readonly operations: { readonly store: EventStore; readonly findHook: FindHook };
  readonly queue: Pick<DeliveryQueue, 'enqueue' | 'list' | 'attempts' | 'cancelReplay'>;
  readonly transform: Transformer['transform'];
};

const missing = 'no listener has this ID';

export const listenerTestRoutes = ({ operations, queue, transform }: ListenerTestRoutes): readonly BoundRoute[] => [
  handle(
    testListenerRoute,
    async ({ params: { listenerId } }) => {
      const { orgId } = await orNotFound(() => operations.findHook(listenerId), missing);
      const hook = await deliverableHook(operations, { orgId, listenerId });
      return testDeliverySummary(await sendTestDelivery({ queue, clock: Date.now }, hook));
    },
    hookOwner(operations.findHook, missing),
  ),
  handle(
    tryListenerRoute,
    ({ params: { listenerId }, body: { event } }, { now }) =>
      orNotFound(() => tryRegistered({ ...operations, transform }, listenerId, event, now), missing),
    hookOwner(operations.findHook, missing),
  ),
];
