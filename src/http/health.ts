import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from './context.js';

/** The readiness of one dependency of the service. `since`: ISO 8601, when it stopped being ready. */
export const partStatus = z.object({
  part: z.string(),
  ready: z.boolean(),
  since: z.string().optional(),
  reason: z.string().optional(),
  /** False: the rest of the service can be used without it. */
  required: z.literal(false).optional(),
});
export type PartStatus = z.infer<typeof partStatus>;

/**
 * `/healthz`: 200 while the process runs. `/readyz`: 200 if every required part is ready, else 503; with the parts and the
 * reasons in both cases.
 */
export function healthRoutes(parts: () => readonly PartStatus[]): Routes {
  const router = new Router<RequestState>({ sensitive: true });
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', (ctx) => {
    const all = parts();
    const ready = all.every((part) => part.ready || part.required === false);
    ctx.status = ready ? 200 : 503;
    ctx.body = { status: ready ? 'ready' : 'not ready', parts: all };
  });
  return router;
}
