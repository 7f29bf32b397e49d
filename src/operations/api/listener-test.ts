import Router from '@koa/router';
import { testDeliverySummary } from '../../deliveries/operate/summaries.js';
import { sendTestDelivery } from '../../deliveries/operate/test-delivery.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { NotFound } from '../../http/errors.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { ListenerNotFound } from '../../registrations/listeners/listener.js';
import { deliverableHook } from '../../registrations/listeners/queries/deliverable-hook.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type AdminRoutes, type AdminState, bodyOf } from './context.js';

export type ListenerTestRoutes = {
  readonly operations: { readonly store: EventStore; readonly findHook: FindHook };
  readonly queue: Pick<DeliveryQueue, 'enqueue' | 'list' | 'attempts' | 'cancelReplay'>;
};

/**
 * `POST /listeners/{listenerId}/test` sends the hook a sample flow event of its subscription type: 200 with the attempt's
 * result if it was attempted within some seconds, else 202. A paused or removed hook is a 409.
 */
export function listenerTestRoutes({ operations, queue }: ListenerTestRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.post('/listeners/:listenerId/test', async (ctx) => {
    bodyOf(ctx, {});
    const listenerId = canonicalUuid(ctx.params.listenerId ?? '');
    const { orgId } = await operations.findHook(listenerId).catch((error) => {
      throw error instanceof ListenerNotFound ? new NotFound('no listener has this ID') : error;
    });
    const hook = await deliverableHook(operations, { orgId, listenerId });
    const sent = await sendTestDelivery({ queue, clock: Date.now }, hook);
    ctx.status = sent.attempt ? 200 : 202;
    ctx.body = testDeliverySummary(sent);
  });

  return router;
}
