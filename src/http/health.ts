import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from './context.js';

/** One thing that the service needs. `since`: ISO 8601, when it stopped being ready. */
export const partStatus = z.object({
  part: z.string(),
  ready: z.boolean(),
  since: z.string().optional(),
  reason: z.string().optional(),
});
export type PartStatus = z.infer<typeof partStatus>;

/** `/healthz`: the process lives. `/readyz`: 200 where every part is ready, else 503, and which part is not and why. */
export function healthRoutes(parts: () => readonly PartStatus[]): Routes {
  const router = new Router<RequestState>();
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', (ctx) => {
    const all = parts();
    const ready = all.every((part) => part.ready);
    ctx.status = ready ? 200 : 503;
    ctx.body = { status: ready ? 'ready' : 'not ready', parts: all };
  });
  return router;
}
