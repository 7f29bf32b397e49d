import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import { type IntegrationTask, IntegrationTaskMissing } from './integration-task.js';

/** `orgId` null: the service-wide default. `reason` is text for operators. */
export type DeactivateIntegrationTask = { readonly orgId: string | null; readonly reason?: string };

/**
 * Deactivates a task: new listeners are refused, deliveries to existing ones continue. Throws `IntegrationTaskMissing`
 * if it is not registered.
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
