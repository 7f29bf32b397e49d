import type { IntegrationTaskEvent } from '../../events/integration-task-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { type IntegrationTask, integrationTaskDecider, integrationTaskStream } from './integration-task.js';

const registeredAndActive = (task: IntegrationTask): IntegrationTaskEvent[] => {
  if (task.state !== 'missing') return [];
  const data = { orgId: null, name: 'default' };
  return [
    { type: 'IntegrationTaskRegistered', data },
    { type: 'IntegrationTaskActivated', data },
  ];
};

/** Registers and activates the service-wide default if it does not exist: development mode only. */
export async function ensureDefaultTask(store: EventStore, cause: Cause, now: Date): Promise<void> {
  await handle(store, integrationTaskStream(null), integrationTaskDecider, registeredAndActive, { cause, now });
}
