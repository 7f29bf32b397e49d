import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import type { IntegrationTask } from './integration-task.js';

/** `orgId` null: the service-wide default. `name` is text for operators. */
export type RegisterIntegrationTask = { readonly orgId: string | null; readonly name: string };

/** Registers a task, inactive at first. An existing task is not changed. */
export const registerIntegrationTask = (
  { orgId, name }: RegisterIntegrationTask,
  task: IntegrationTask,
): IntegrationTaskEvent[] =>
  task.state === 'missing' ? [{ type: 'IntegrationTaskRegistered', data: { orgId, name } }] : [];
