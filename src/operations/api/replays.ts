import Router from '@koa/router';
import { z } from 'zod';
import { NotFound } from '../../http/errors.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { uuidParameter } from '../../kernel/input/uuid-parameter.js';
import { ListenerNotFound } from '../../registrations/listeners/listener.js';
import type { FindHook } from '../../registrations/listeners/queries/find-hook.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { replayRequest } from '../replays/contract.js';
import { findReplay, listReplays } from '../replays/find-replays.js';
import { beginReplay, endReplay, type OperateReplays } from '../replays/operate-replays.js';
import { replaySummary } from '../replays/replay-summary.js';
import {
  type AdminContext,
  type AdminRoutes,
  type AdminState,
  bodyOf,
  type List,
  limitParameter,
  queryOf,
} from './context.js';

export type ReplayRoutes = Omit<OperateReplays, 'findHook'> & {
  readonly readModel: ReadModel;
  readonly operations: { readonly findHook: FindHook };
};

const replayId = uuidParameter('the ID of a replay must be a UUID');

/**
 * `POST /replays` starts a replay of past flow events to one hook, `GET /replays?orgId=` lists replays, `GET /replays/{id}`
 * shows the progress of one, and `POST /replays/{id}/cancel` cancels it and its waiting deliveries.
 */
export function replayRoutes({ store, queue, readModel, operations }: ReplayRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();
  const operate: OperateReplays = { store, queue, findHook: operations.findHook };
  const idOf = (ctx: AdminContext): string => parseInput(replayId, ctx.params.id);
  const contextOf = (ctx: AdminContext) => ({ cause: ctx.state.cause, now: new Date() });

  router.post('/replays', async (ctx) => {
    const request = bodyOf(ctx, replayRequest);
    try {
      const started = await beginReplay(operate, request, contextOf(ctx));
      ctx.status = 201;
      ctx.body = replaySummary(await findReplay(store, started.replayId));
    } catch (error) {
      // For a platform this error is a 500; here the requested resource is missing.
      throw error instanceof ListenerNotFound ? new NotFound('no active registration has this ID') : error;
    }
  });

  router.get('/replays', async (ctx) => {
    const { orgId, ...page } = queryOf(ctx, {
      orgId: opaqueId,
      limit: limitParameter,
      after: z.string().max(256).optional(),
    });
    const { replays, next } = await listReplays(readModel, orgId, page);
    ctx.body = { items: replays.map(replaySummary), next: next ?? null } satisfies List<unknown>;
  });

  router.get('/replays/:id', async (ctx) => {
    queryOf(ctx, {});
    ctx.body = replaySummary(await findReplay(store, idOf(ctx)));
  });

  router.post('/replays/:id/cancel', async (ctx) => {
    bodyOf(ctx, {});
    const id = idOf(ctx);
    const { cancelled } = await endReplay(operate, id, contextOf(ctx));
    ctx.body = { ...replaySummary(await findReplay(store, id)), cancelled };
  });

  return router;
}
