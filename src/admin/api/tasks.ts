import { type IntegrationTaskEntry, integrationTasks } from '../../../projections/integration-tasks.js';
import { NotFound } from '../../http/errors.js';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
} from '../../listeners/integration-tasks/change-integration-task.js';
import { effectiveTask } from '../../listeners/integration-tasks/effective-task.js';
import { IntegrationTaskMissing } from '../../listeners/integration-tasks/integration-task.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { pageOf } from './contracts/fields.js';
import {
  activateTaskRoute,
  deactivateTaskRoute,
  listTasksRoute,
  registerTaskRoute,
  showTaskRoute,
} from './contracts/tasks.js';
import { type BoundRoute, type CallContext, handle } from './routing/handle.js';

export type TaskRoutes = { readonly store: EventStore; readonly readModel: ReadModel };

export function taskRoutes({ store, readModel }: TaskRoutes): readonly BoundRoute[] {
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
    handle(listTasksRoute, async ({ query: { limit, after } }) => {
      const found = await readModel.find(integrationTasks, { where: {}, limit, ...(after !== undefined && { after }) });
      const { next } = pageOf(found, { limit, after: ({ key }) => key });
      return { items: found.map(({ document }) => document as IntegrationTaskEntry), next }; // the projection wrote it
    }),
    handle(showTaskRoute, ({ query }) => effectiveTask(store, query.orgId)),
    handle(registerTaskRoute, ({ body }, context) => change({ change: 'register', ...body }, context)),
    handle(activateTaskRoute, ({ body }, context) => change({ change: 'activate', ...body }, context)),
    handle(deactivateTaskRoute, ({ body }, context) => change({ change: 'deactivate', ...body }, context)),
  ];
}
