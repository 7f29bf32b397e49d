import Router from '@koa/router';
import { z } from 'zod';
import { type ExplainSources, explainFlowEvent } from '../../deliveries/operate/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/operate/explain/explained-summary.js';
import { NotFound } from '../../http/errors.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { listenerIdParameter } from '../../kernel/input/uuid-parameter.js';
import { ListenerNotFound } from '../../registrations/listeners/listener.js';
import { type AdminRoutes, type AdminState, bodyOf } from './context.js';

export type ExplainRoutes = { readonly explain: ExplainSources };

const explainRequest = {
  orgId: opaqueId,
  listenerId: listenerIdParameter.optional(),
  hookUrl: z.string().optional(),
  limit: z.int().min(1).max(1_000).default(100),
  after: z.string().optional(),
};

/**
 * `POST /flows/{eventId}/explain`: for each hook of an organisation, whether it got a flow event, and why. It changes
 * nothing; it is a POST because the URL of a hook is a capability and must not appear in access logs.
 */
export function explainRoutes({ explain }: ExplainRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.post('/flows/:eventId/explain', async (ctx) => {
    const request = { ...bodyOf(ctx, explainRequest), eventId: parseInput(opaqueId, ctx.params.eventId) };
    try {
      ctx.body = explainedSummary(await explainFlowEvent(explain, request), {
        byHookUrl: request.hookUrl !== undefined,
      });
    } catch (error) {
      // For a platform this error is a 500; here the requested resource is missing.
      throw error instanceof ListenerNotFound ? new NotFound('the organisation never had this hook') : error;
    }
  });

  return router;
}
