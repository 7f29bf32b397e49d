import { randomUUID } from 'node:crypto';
import { type ListenerEvent, listenerCodec } from '../../src/events/listener-events.js';
import {
  pauseListener,
  resumeListener,
  rotateListenerSecret,
  unsubscribeListener,
} from '../../src/listeners/commands/listener-commands.js';
import { subscribeListener } from '../../src/listeners/commands/subscribe-listener.js';
import { type Listener, listenerDecider, listenerStream, newListenerId } from '../../src/listeners/listener.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';

type ListenerDetails = {
  orgId: string;
  userId: string;
  hookUrl: string;
  listenerId: string;
};
type Decide = (details: ListenerDetails, listener: Listener) => readonly ListenerEvent[];

const subscribe =
  (subscriptionType: string): Decide =>
  (details, listener) =>
    subscribeListener(
      {
        ...details,
        subscription: { subscriptionType, filter: null, transform: null },
        keyGeneration: 'g1',
        task,
        defaults,
        now: new Date(),
      },
      listener,
    );
const defaults = { ordered: false, ratePerSecond: null };
const task = { state: 'active', orgId: null, name: 'default' } as const;
const pause: Decide = pauseListener;
const resume: Decide = ({ listenerId }, listener) => resumeListener({ listenerId, now: new Date() }, listener);
const rotate: Decide = ({ listenerId }, listener) =>
  rotateListenerSecret({ listenerId, keyGeneration: 'g1', overlapMs: 0, now: new Date() }, listener);
const unsubscribe: Decide = (_, listener) => unsubscribeListener({ reason: 'requested' }, listener);

/** Events of every type. */
const life: readonly Decide[] = [
  ...[subscribe('flow.*'), subscribe('flow.completed'), rotate, pause, resume],
  ...[subscribe('flow.failed'), rotate, pause, resume, unsubscribe],
];

export type Lives = {
  organisationOf?: (index: number) => string;
  concurrent?: number;
};

/** Interleaved: all first events, then all second ones … */
export async function appendLives(
  store: EventStore,
  count: number,
  { organisationOf = (index) => `org-${index % 1_000}`, concurrent = 5_000 }: Lives = {},
): Promise<void> {
  const listeners = Array.from({ length: count }, (_, index) => {
    const orgId = organisationOf(index);
    const hookUrl = `https://hooks.example.com/hooks/catch/${index}/${randomUUID().slice(0, 8)}/`;
    const details = { orgId, userId: `user-${index}`, hookUrl, listenerId: newListenerId() };
    return { details, stream: listenerStream(orgId, hookUrl), state: listenerDecider.initialState() };
  });
  for (const [round, decide] of life.entries()) {
    const revision = BigInt(round);
    for (let from = 0; from < count; from += concurrent) {
      const part = listeners.slice(from, from + concurrent);
      await Promise.all(
        part.map(async (listener) => {
          const [event] = decide(listener.details, listener.state);
          if (!event) throw new Error(`nothing happened in round ${round}`);
          listener.state = listenerDecider.evolve(listener.state, { ...event, revision });
          const cause = { actor: `user:${listener.details.userId}`, correlationId: randomUUID() };
          await store.append(listener.stream, [listenerCodec.encode(event, cause, new Date())]);
        }),
      );
    }
  }
}
