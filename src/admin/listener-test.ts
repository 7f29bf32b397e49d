import Router from '@koa/router';
import { keptUuid } from '../asked-uuid.js';
import type { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { testDeliverySummary } from '../deliveries/summaries.js';
import { sendTestDelivery } from '../deliveries/test-delivery.js';
import type { EventStore } from '../event-store/event-store.js';
import { NotFound } from '../http/errors.js';
import { deliverableHook } from '../listeners/deliverable-hook.js';
import type { FindHook } from '../listeners/find-hook.js';
import { ListenerNotFound } from '../listeners/listener.js';
import { type AdminRoutes, type AdminState, bodyOf } from './context.js';

export type ListenerTestRoutes = {
  readonly operations: { readonly store: EventStore; readonly findHook: FindHook };
  readonly queue: Pick<DeliveryQueue, 'enqueue' | 'list' | 'attempts' | 'cancelReplay'>;
};

/**
 * `POST /listeners/{listenerId}/test` sends the hook a sample of what it is subscribed to, and answers what came of it: 200
 * where it was attempted within some seconds, else 202. A hook that is paused or removed is a 409.
 */
export function listenerTestRoutes({ operations, queue }: ListenerTestRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.post('/listeners/:listenerId/test', async (ctx) => {
    bodyOf(ctx, {});
    const listenerId = keptUuid(ctx.params.listenerId ?? '');
    const { orgId } = await operations.findHook(listenerId).catch((error) => {
      throw error instanceof ListenerNotFound ? new NotFound('there is no such listener') : error;
    });
    const hook = await deliverableHook(operations, { orgId, listenerId });
    const sent = await sendTestDelivery({ queue, clock: Date.now }, hook);
    ctx.status = sent.attempt ? 200 : 202;
    ctx.body = testDeliverySummary(sent);
  });

  return router;
}
