import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from './context.js';
import { type Route, serve } from './route-contract.js';

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
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  serve(router, healthRoute, (ctx) => {
    ctx.body = { status: 'ok' };
  });
  serve(router, readinessRoute, (ctx) => {
    const all = parts();
    const ready = all.every((part) => part.ready || part.required === false);
    ctx.status = ready ? 200 : 503;
    ctx.body = { status: ready ? 'ready' : 'not ready', parts: all };
  });
  return router;
}

const readiness = z
  .strictObject({ status: z.enum(['ready', 'not ready']), parts: z.array(partStatus.meta({ id: 'Part' })) })
  .meta({ id: 'Readiness' });
const tooLarge = { description: 'The headers of the request are too large.' };
const common = {
  method: 'get',
  tag: 'Monitoring',
  credentials: { anonymous: [] },
  errors: ['internal_error'],
  commonErrors: 'none',
} as const;

const healthRoute: Route = {
  ...common,
  name: 'checkHealth',
  path: '/healthz',
  summary: 'Tell whether the process runs',
  description: 'For supervisors that restart a process that hangs.',
  answer: { description: 'It runs.', schema: z.strictObject({ status: z.literal('ok') }), example: { status: 'ok' } },
  otherAnswers: { 431: tooLarge },
};

const readinessRoute: Route = {
  ...common,
  name: 'checkReadiness',
  path: '/readyz',
  summary: 'Tell whether the service is ready',
  description: 'For load balancers: whether the instance can do its work, part by part.',
  answer: {
    description: 'Every part that is required is ready.',
    schema: readiness,
    example: { status: 'ready', parts: [{ part: 'event store', ready: true }] },
    alternative: {
      status: 503,
      description: 'A part that is required is not ready.',
      example: {
        status: 'not ready',
        parts: [
          { part: 'event store', ready: false, since: '2026-01-01T12:00:00.000Z', reason: 'it cannot be reached' },
        ],
      },
    },
  },
  otherAnswers: { 431: tooLarge },
};

export const monitoringRoutes: readonly Route[] = [healthRoute, readinessRoute];
