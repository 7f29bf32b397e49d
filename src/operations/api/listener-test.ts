import { randomUUID } from 'node:crypto';
import { testDeliverySummary } from '../../deliveries/operate/summaries.js';
import { sendTestDelivery } from '../../deliveries/operate/test-delivery.js';
import { tryEvent } from '../../deliveries/operate/try-event.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import { listenerLifecycle, listenerStream, requireRegistered } from '../../registrations/listeners/listener.js';
import { deliverableHook } from '../../registrations/listeners/queries/deliverable-hook.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
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
      orNotFound(async () => {
        const { orgId, hookUrl } = await operations.findHook(listenerId);
        const { state } = await load(operations.store, listenerStream(orgId, hookUrl), listenerLifecycle);
        const { registration } = requireRegistered(state, listenerId);
        const { type, data, id = randomUUID(), flowId = id, occurredAt = now.toISOString() } = event;
        const tried = { id, orgId, flowId, type, timestamp: occurredAt, data: data as Json }; // it was parsed from JSON
        return tryEvent(transform, registration, tried);
      }, missing),
    hookOwner(operations.findHook, missing),
  ),
];
