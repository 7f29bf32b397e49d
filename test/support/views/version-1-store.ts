import { listenerStream } from '../../../src/registrations/listeners/listener.js';
import type { EventStore, JsonObject, NewEvent } from '../../../src/stores/event-store/event-store.js';

/** The hooks of a store that the first release has written, letter by letter: it knew version 1 of the listener events. */
export const hooksOfVersion1 = {
  active: 'https://hooks.example.com/active',
  paused: 'https://hooks.example.com/paused',
  gone: 'https://hooks.example.com/gone',
} as const;

export const listenerIdsOfVersion1 = {
  active: '0b8f2a4e-7d0c-4c6e-9a35-2f4f5d1c7a01',
  paused: '0b8f2a4e-7d0c-4c6e-9a35-2f4f5d1c7a02',
  gone: '0b8f2a4e-7d0c-4c6e-9a35-2f4f5d1c7a03',
} as const;

type Hook = keyof typeof hooksOfVersion1;
type Step = readonly [type: string, fields: JsonObject];

const steps: Readonly<Record<Hook, readonly Step[]>> = {
  active: [
    ['ListenerSubscribed', {}],
    ['ListenerSubscriptionChanged', { previousSubscriptionType: 'flow.*', subscriptionType: 'flow.done', since: '0' }],
    ['ListenerSecretRotated', { subscriptionType: 'flow.done', secretVersion: 2, paused: false, since: '1' }],
  ],
  paused: [
    ['ListenerSubscribed', {}],
    ['ListenerPaused', { reason: 'operator', since: '0' }],
    ['ListenerResumed', { since: '1' }],
    ['ListenerPaused', { reason: 'maintenance', since: '2' }],
  ],
  gone: [
    ['ListenerSubscribed', {}],
    ['ListenerUnsubscribed', { reason: 'requested', since: '0' }],
  ],
};

/** Fills a store as the first release did. */
export async function appendVersion1(store: EventStore): Promise<void> {
  for (const hook of Object.keys(steps) as Hook[]) {
    await store.append(listenerStream('acme', hooksOfVersion1[hook]), steps[hook].map(eventOf(hook)));
  }
}

const eventOf =
  (hook: Hook) =>
  ([type, fields]: Step, index: number): NewEvent => ({
    id: crypto.randomUUID(),
    type,
    data: {
      listenerId: listenerIdsOfVersion1[hook],
      orgId: 'acme',
      userId: 'ada',
      hookUrl: hooksOfVersion1[hook],
      subscriptionType: 'flow.*',
      keyGeneration: 'g1',
      secretVersion: 1,
      ...fields,
    },
    metadata: {
      schemaVersion: 1,
      recordedAt: `2025-01-02T03:04:0${index}.000Z`,
      actor: 'user:ada',
      $correlationId: `request-${hook}-${index}`,
    },
  });
