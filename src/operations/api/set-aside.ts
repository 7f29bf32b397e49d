import Router from '@koa/router';
import { z } from 'zod';
import type { SetAsideRetries } from '../../deliveries/operate/retry-set-aside.js';
import { retriedSummary, setAsideSummary } from '../../deliveries/operate/summaries.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { type AdminRoutes, type AdminState, bodyOf, limitParameter, pageOf, queryOf, wholeNumber } from './context.js';

export type SetAsideRoutes = {
  readonly queue: Pick<DeliveryQueue, 'listSetAside'>;
  readonly retries: SetAsideRetries;
};

/** Maximum number of events retried by one request: each needs several reads and writes, and the client waits. */
const maxRetried = 100;

const retryRequest = {
  stream: z.string().optional(),
  revision: wholeNumber.optional(),
  after: wholeNumber.optional(),
  limit: z.int().min(1).max(maxRetried).default(maxRetried),
};

const byPosition = ({ position }: { readonly position: string }) => position;

/**
 * `GET /set-aside` lists events that could not be decoded. `POST /set-aside/retry` retries one (`stream` and `revision`), or
 * a page of all; `next` in its answer is the `after` of the next request.
 */
export function setAsideRoutes({ queue, retries }: SetAsideRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/set-aside', async (ctx) => {
    const { limit, ...page } = queryOf(ctx, { limit: limitParameter, after: wholeNumber.optional() });
    const events = await queue.listSetAside({ limit, ...(page.after !== undefined && { after: page.after }) });
    ctx.body = pageOf(events.map(setAsideSummary), { limit, after: byPosition });
  });

  router.post('/set-aside/retry', async (ctx) => {
    const { stream, revision, after, limit } = bodyOf(ctx, retryRequest);
    if (stream !== undefined && revision !== undefined) {
      ctx.body = { items: [retriedSummary(await retries.one({ stream, revision }))], next: null };
      return;
    }
    if (stream !== undefined || revision !== undefined) throw new InvalidRequest('stream and revision go together');
    const retried = await retries.page({ after, limit });
    ctx.body = pageOf(retried.map(retriedSummary), { limit, after: byPosition });
  });

  return router;
}
