import { randomUUID } from 'node:crypto';
import { listenerCodec } from '../../src/events/listener-events.js';
import { listenerStream, newListenerId } from '../../src/listeners/listener.js';
import type { NewEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';

export const orgId = 'org-1';
const group = 1_024; // appends that wait together share a transaction

/** Events as subscribing would have written them. */
export async function appendListeners(directory: string, count: number, hookUrl: () => string): Promise<void> {
  const store = openSqliteEventStore({ directory });
  for (let done = 0; done < count; done += group) {
    const appends = Array.from({ length: Math.min(group, count - done) }, () => {
      const url = hookUrl();
      return store.append(listenerStream(orgId, url), [subscribedEvent(url)], { expectedRevision: 'no-stream' });
    });
    await Promise.all(appends);
  }
  await store.close();
}

const template = listenerCodec.encode(
  {
    type: 'ListenerSubscribed',
    data: {
      listenerId: randomUUID(),
      orgId,
      userId: 'user-1',
      hookUrl: 'https://hooks.example.com/',
      subscription: {
        subscriptionType: 'flow.completed',
        filter: null,
        transform: null,
        ordered: false,
        ratePerSecond: null,
        description: null,
        signedWithKeyPair: false,
      },
      secret: { keyGeneration: 'g1', version: 1, previous: null },
      failing: null,
    },
  },
  { actor: 'user:user-1', correlationId: 'bench' },
  new Date(),
);

const subscribedEvent = (hookUrl: string): NewEvent => ({
  ...template,
  id: randomUUID(),
  data: { ...template.data, listenerId: newListenerId(), hookUrl },
});
