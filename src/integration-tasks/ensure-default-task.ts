import type { Cause } from '../event-store/codec.js';
import type { EventStore } from '../event-store/event-store.js';
import { handle } from '../event-store/handle.js';
import type { IntegrationTaskEvent } from './events.js';
import { type IntegrationTask, integrationTaskLifecycle, integrationTaskStream } from './integration-task.js';

const registeredAndActive = (task: IntegrationTask): IntegrationTaskEvent[] => {
  if (task.state !== 'missing') return [];
  const data = { orgId: null, name: 'default' };
  return [
    { type: 'IntegrationTaskRegistered', data },
    { type: 'IntegrationTaskActivated', data },
  ];
};

/** Registers and activates the service-wide default where nobody has decided anything about it yet: development mode only. */
export async function ensureDefaultTask(store: EventStore, cause: Cause, now: Date): Promise<void> {
  await handle(store, integrationTaskStream(null), integrationTaskLifecycle, registeredAndActive, { cause, now });
}
