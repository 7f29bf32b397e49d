import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import { type IntegrationTask, IntegrationTaskMissing } from './integration-task.js';

/** `orgId` null: the service-wide default. */
export type ActivateIntegrationTask = { readonly orgId: string | null };

/** Activates a registered task, so that it allows listeners. Throws `IntegrationTaskMissing` if it is not registered. */
export function activateIntegrationTask(
  { orgId }: ActivateIntegrationTask,
  task: IntegrationTask,
): IntegrationTaskEvent[] {
  if (task.state === 'missing') throw new IntegrationTaskMissing(orgId);
  if (task.state === 'active') return [];
  return [{ type: 'IntegrationTaskActivated', data: { orgId, name: task.name } }];
}
