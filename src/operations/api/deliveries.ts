import Router from '@koa/router';
import { z } from 'zod';
import {
  deadLetters,
  deliveryFilter,
  deliveryState,
  given,
  redeliveredStates,
} from '../../deliveries/operate/contract.js';
import { redeliverOne, redeliverSeveral, showDelivery } from '../../deliveries/operate/redeliver.js';
import { searchDeliveries } from '../../deliveries/operate/search-deliveries.js';
import {
  attemptSummary,
  countsSummary,
  deliverySummaries,
  deliverySummary,
} from '../../deliveries/operate/summaries.js';
import type { DeliveryRecord } from '../../deliveries/queue/delivery-log.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { type AdminRoutes, type AdminState, bodyOf, type List, limitParameter, queryOf } from './context.js';

export type DeliveryRoutes = {
  readonly queue: Pick<
    DeliveryQueue,
    'counts' | 'list' | 'knownEvent' | 'attempts' | 'redeliver' | 'closedGates' | 'hookStates'
  >;
};

const redeliveredAtOnce = 1_000;
const redeliverRequest = {
  orgId: opaqueId,
  ids: z.array(z.string().max(256).transform(canonicalUuid)).min(1).max(redeliveredAtOnce).optional(),
  ...deliveryFilter,
  states: redeliveredStates,
  limit: z.int().min(1).max(redeliveredAtOnce).default(100),
};

/**
 * `GET /deliveries?orgId=` lists deliveries, latest flow events first; `GET /deliveries/{id}?orgId=` shows one with its
 * attempts. `POST /deliveries/{id}/redeliver` redelivers one, and `/deliveries/redeliver` several, by `ids` or by a filter,
 * which selects dead letters if it names no `states`; `next` in its answer is the `after` of the next request.
 * `GET /deliveries/status` counts deliveries by state.
 */
export function deliveryRoutes({ queue }: DeliveryRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();
  const summaryOf = (delivery: DeliveryRecord) => deliverySummary(queue, delivery, Date.now());

  router.get('/deliveries', async (ctx) => {
    const { state: only, ...query } = queryOf(ctx, {
      orgId: opaqueId,
      ...deliveryFilter,
      limit: limitParameter,
      state: deliveryState.optional(),
    });
    const { deliveries, next } = await searchDeliveries(queue, { ...given(query), ...(only && { states: [only] }) });
    const items = await deliverySummaries(queue, deliveries, Date.now());
    ctx.body = { items, next: next ?? null } satisfies List<unknown>;
  });

  router.get('/deliveries/status', async (ctx) => {
    queryOf(ctx, {});
    ctx.body = countsSummary(await queue.counts(Date.now()));
  });

  router.post('/deliveries/redeliver', async (ctx) => {
    const { ids, ...query } = bodyOf(ctx, redeliverRequest);
    if (ids && ['states', ...Object.keys(deliveryFilter)].some((name) => name in query)) {
      throw new InvalidRequest('ids select the deliveries: they exclude a filter');
    }
    const wanted = ids ? { orgId: query.orgId, ids } : { states: deadLetters, ...given(query) };
    const { next, ...redelivered } = await redeliverSeveral(queue, wanted, Date.now());
    ctx.body = { ...redelivered, next: next ?? null };
  });

  router.get('/deliveries/:id', async (ctx) => {
    const { orgId } = queryOf(ctx, { orgId: opaqueId });
    const { delivery, attempts } = await showDelivery(queue, orgId, idOf(ctx.params.id));
    ctx.body = { ...(await summaryOf(delivery)), log: attempts.map(attemptSummary) };
  });

  router.post('/deliveries/:id/redeliver', async (ctx) => {
    const { orgId } = bodyOf(ctx, { orgId: opaqueId });
    ctx.body = await summaryOf(await redeliverOne(queue, orgId, idOf(ctx.params.id), Date.now()));
  });

  return router;
}

const idOf = (id: unknown): string => canonicalUuid(parseInput(z.string().max(256), id));
