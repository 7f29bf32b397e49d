import { NotFound } from '../../http/errors.js';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
} from '../../registrations/integration-tasks/change-integration-task.js';
import { effectiveTask } from '../../registrations/integration-tasks/effective-task.js';
import { IntegrationTaskMissing } from '../../registrations/integration-tasks/integration-task.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { activateTaskRoute, deactivateTaskRoute, registerTaskRoute, showTaskRoute } from './contracts/tasks.js';
import { type BoundRoute, type CallContext, handle } from './routing/handle.js';

export type TaskRoutes = { readonly store: EventStore };

export function taskRoutes({ store }: TaskRoutes): readonly BoundRoute[] {
  async function change(command: ChangeIntegrationTask, context: CallContext) {
    try {
      const { state, events } = await changeIntegrationTask(store, command, context);
      if (state.state === 'missing') throw new IntegrationTaskMissing(command.orgId);
      return { ...state, changed: events.map(({ type }) => type) };
    } catch (error) {
      // For a platform that subscribes this error is a 500; here the requested resource is missing.
      throw error instanceof IntegrationTaskMissing ? new NotFound(error.message) : error;
    }
  }

  return [
    handle(showTaskRoute, ({ query }) => effectiveTask(store, query.orgId)),
    handle(registerTaskRoute, ({ body }, context) => change({ change: 'register', ...body }, context)),
    handle(activateTaskRoute, ({ body }, context) => change({ change: 'activate', ...body }, context)),
    handle(deactivateTaskRoute, ({ body }, context) => change({ change: 'deactivate', ...body }, context)),
  ];
}
