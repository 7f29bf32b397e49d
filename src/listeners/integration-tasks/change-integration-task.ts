import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import { activateIntegrationTask } from './activate-integration-task.js';
import { deactivateIntegrationTask } from './deactivate-integration-task.js';
import { type IntegrationTask, integrationTaskDecider, integrationTaskStream } from './integration-task.js';
import { registerIntegrationTask } from './register-integration-task.js';

/** An operator's change of a task. `orgId` null: the service-wide default. */
export type ChangeIntegrationTask = { readonly orgId: string | null } & (
  | { readonly change: 'register'; readonly name?: string | undefined }
  | { readonly change: 'activate' }
  | { readonly change: 'deactivate'; readonly reason?: string | undefined }
);

/** Changes a task; repeating a change has no effect. Throws `IntegrationTaskMissing`, and the errors of `handle`. */
export const changeIntegrationTask = (
  store: EventStore,
  command: ChangeIntegrationTask,
  context: { readonly cause: Cause; readonly now: Date },
): Promise<Handled<IntegrationTask, IntegrationTaskEvent>> =>
  handle(store, integrationTaskStream(command.orgId), integrationTaskDecider, (task) => decide(command, task), context);

function decide(command: ChangeIntegrationTask, task: IntegrationTask): IntegrationTaskEvent[] {
  const { orgId } = command;
  switch (command.change) {
    case 'register':
      return registerIntegrationTask({ orgId, name: command.name ?? 'default' }, task);
    case 'activate':
      return activateIntegrationTask({ orgId }, task);
    case 'deactivate':
      return deactivateIntegrationTask(
        { orgId, ...(command.reason !== undefined && { reason: command.reason }) },
        task,
      );
  }
}
