import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import {
  type IntegrationTask,
  IntegrationTaskInactive,
  IntegrationTaskMissing,
  integrationTaskDecider,
  integrationTaskStream,
} from './integration-task.js';

/** The task that applies to an organisation: its own if it has one, else the service-wide default (`orgId` null). */
export async function effectiveTask(store: EventStore, orgId: string | null): Promise<IntegrationTask> {
  if (orgId === null) return (await load(store, integrationTaskStream(null), integrationTaskDecider)).state;
  const { state: own } = await load(store, integrationTaskStream(orgId), integrationTaskDecider);
  return own.state === 'missing' ? effectiveTask(store, null) : own;
}

/** Throws `IntegrationTaskMissing` (for `orgId`) or `IntegrationTaskInactive` unless the task is active. */
export function requireActive(task: IntegrationTask, orgId: string | null): void {
  if (task.state === 'missing') throw new IntegrationTaskMissing(orgId);
  if (task.state === 'inactive') throw new IntegrationTaskInactive(task.orgId);
}

/** Throws unless the task that applies to this organisation is active. Errors as for `requireActive`. */
export async function requireActiveTask(store: EventStore, orgId: string | null): Promise<void> {
  requireActive(await effectiveTask(store, orgId), orgId);
}
