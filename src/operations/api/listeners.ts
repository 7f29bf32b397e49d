import Router from '@koa/router';
import { z } from 'zod';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { listListeners } from '../../registrations/listeners/queries/find.js';
import { listenerSummary } from '../../registrations/listeners/queries/listener-summary.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { type AdminRoutes, type AdminState, type List, limitParameter, queryOf } from './context.js';

export type ListenerRoutes = { readonly readModel: ReadModel };

/** `GET /listeners?orgId=`: the current registrations of an organisation, active and paused. */
export function listenerRoutes({ readModel }: ListenerRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/listeners', async (ctx) => {
    const { orgId, ...page } = queryOf(ctx, {
      orgId: opaqueId,
      limit: limitParameter,
      after: z.string().max(256).optional(),
    });
    const { listeners, next } = await listListeners(readModel, orgId, page);
    ctx.body = { items: listeners.map(listenerSummary), next: next ?? null } satisfies List<unknown>;
  });

  return router;
}
