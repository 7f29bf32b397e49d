import Router from '@koa/router';
import { z } from 'zod';
import { NotFound } from '../../http/errors.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
} from '../../registrations/integration-tasks/change-integration-task.js';
import { effectiveTask } from '../../registrations/integration-tasks/effective-task.js';
import { IntegrationTaskMissing } from '../../registrations/integration-tasks/integration-task.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type AdminContext, type AdminRoutes, type AdminState, bodyOf, queryOf } from './context.js';

export type TaskRoutes = { readonly store: EventStore };

/** Null, or left out: the service-wide default. */
const orgId = opaqueId.nullable().default(null);
const text = z.string().min(1).max(256).optional();

/**
 * `GET /tasks` shows the integration task in effect for `orgId`, or the default one; `POST /tasks/register`,
 * `/tasks/activate` and `/tasks/deactivate` change it, and answer it with the types of the appended events in `changed`.
 */
export function taskRoutes({ store }: TaskRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  async function change(ctx: AdminContext, command: ChangeIntegrationTask): Promise<void> {
    try {
      const { state, events } = await changeIntegrationTask(store, command, {
        cause: ctx.state.cause,
        now: new Date(),
      });
      ctx.body = { ...state, changed: events.map(({ type }) => type) };
    } catch (error) {
      // For a platform that subscribes this error is a 500; here the requested resource is missing.
      throw error instanceof IntegrationTaskMissing ? new NotFound(error.message) : error;
    }
  }

  router.get('/tasks', async (ctx) => {
    ctx.body = await effectiveTask(store, queryOf(ctx, { orgId }).orgId);
  });
  router.post('/tasks/register', (ctx) => change(ctx, { change: 'register', ...bodyOf(ctx, { orgId, name: text }) }));
  router.post('/tasks/activate', (ctx) => change(ctx, { change: 'activate', ...bodyOf(ctx, { orgId }) }));
  router.post('/tasks/deactivate', (ctx) =>
    change(ctx, { change: 'deactivate', ...bodyOf(ctx, { orgId, reason: text }) }),
  );

  return router;
}
