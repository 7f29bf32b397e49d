import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import { type IntegrationTask, IntegrationTaskMissing } from './integration-task.js';

/** `orgId` null: the service-wide default. `reason` is for people. */
export type DeactivateIntegrationTask = { readonly orgId: string | null; readonly reason?: string };

/**
 * Refuses new registrations from now on; deliveries to existing ones go on. Throws `IntegrationTaskMissing` where it is
 * not registered.
 */
export function deactivateIntegrationTask(
  { orgId, reason }: DeactivateIntegrationTask,
  task: IntegrationTask,
): IntegrationTaskEvent[] {
  if (task.state === 'missing') throw new IntegrationTaskMissing(orgId);
  if (task.state === 'inactive') return [];
  return [
    {
      type: 'IntegrationTaskDeactivated',
      data: { orgId, name: task.name, ...(reason !== undefined && { reason }) },
    },
  ];
}
