import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import type { EventStoreCluster, Member } from '../../eventstoredb-double/src/start-cluster.js';
import type { Receiver } from '../receivers-of-listeners/receiver.js';
import { until } from '../until.js';
import { publish, subscribe } from './journey.js';
import type { ServiceProcess } from './service.js';

export type FreezeRound = {
  service: ServiceProcess;
  cluster: EventStoreCluster;
  /** An ordered listener, registered for all that is published. */
  receiver: Receiver;
  frozen: Member;
  /** The time between two flow events that are published, whether or not the one before was answered. */
  everyMs: number;
};

export type FreezeOutcome = {
  /** Time from the freeze to the first 202 of a flow event that was published after it. */
  appendsAgainMs: number;
  /** Time from the freeze until the listener gets the first flow event that was published after it. */
  eventsAgainMs: number;
  published: number;
  refused: number;
  /** Accepted, and not at the listener though the one after them is. */
  lost: readonly string[];
  repeated: number;
  /** True if the listener got the events in the order of the event store. */
  isInOrder: boolean;
};

const recoveryLimitMs = 120_000;

/** Freezes a node while flow events are published, until the listener gets events again; then lets it go on, and looks at all. */
export async function freezeRound({
  service,
  cluster,
  receiver,
  frozen,
  everyMs,
}: FreezeRound): Promise<FreezeOutcome> {
  const already = receiver.received.length;
  const answers: Promise<string | undefined>[] = [];
  let frozenAt = Number.POSITIVE_INFINITY;
  let acceptedAt: number | undefined;
  const sinceFreeze = new Set<string>();

  async function publishNext(): Promise<string | undefined> {
    const publishedAt = Date.now();
    const { status, body } = await service.fetch('/api/flows', {
      json: { orgId: 'acme', type: 'flow.completed', data: { n: answers.length } },
    });
    if (status !== 202) return undefined;
    const { id } = body as { id: string };
    if (publishedAt >= frozenAt) {
      acceptedAt ??= Date.now();
      sinceFreeze.add(id);
    }
    return id;
  }
  const atListener = () => receiver.received.slice(already).map(({ body, at }) => ({ id: idOf(body), at }));
  const others = cluster.members.filter((member) => member !== frozen);
  const subscriptionsAtOthers = () => others.reduce((sum, { node }) => sum + node.subscriptions, 0);
  const firstAtListener = () => atListener().find(({ id }) => sinceFreeze.has(id));

  const stop = new AbortController();
  const load = (async () => {
    while (!stop.signal.aborted) {
      answers.push(publishNext());
      await pause(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  await until(() => receiver.received.length > already, 'the first event at the listener');
  await pause(Math.random() * everyMs);
  expect(subscriptionsAtOthers(), 'subscriptions at other nodes').to.equal(0);
  frozenAt = Date.now();
  cluster.freeze(frozen);
  await until(() => firstAtListener() !== undefined, 'events at the listener', { limitMs: recoveryLimitMs });
  const eventsAgainMs = (firstAtListener()?.at ?? Number.NaN) - frozenAt;
  const appendsAgainMs = (acceptedAt ?? Number.NaN) - frozenAt;
  expect(others, 'the leader').to.include(cluster.leader);
  expect(subscriptionsAtOthers(), 'subscriptions at other nodes').to.be.above(0);
  await cluster.thaw(frozen);
  stop.abort();
  await load;

  const answered = await Promise.all(answers);
  const accepted = answered.filter((id) => id !== undefined);
  const last = await untilPublished(publishNext);
  while (!atListener().some(({ id }) => id === last)) {
    const { length } = receiver.received;
    await until(() => receiver.received.length > length, 'another event at the listener');
  }
  const received = atListener().map(({ id }) => id);
  const distinct = new Set(received);
  const written = (await flowEventsOf(cluster)).filter((id) => distinct.has(id));
  return {
    appendsAgainMs,
    eventsAgainMs,
    published: answered.length,
    refused: answered.length - accepted.length,
    lost: accepted.filter((id) => !distinct.has(id)),
    repeated: received.length - distinct.size,
    isInOrder: [...distinct].join() === written.join(),
  };
}

/** Registers the listener, ordered; resolves once it has got an event. */
export async function startListener(service: ServiceProcess, receiver: Receiver): Promise<void> {
  await subscribe(service, `${receiver.origin}/hook`, { ordered: true });
  await publish(service, { type: 'flow.completed', data: {} });
  await receiver.has(1);
}

/**
 * Starts the service while one follower alone is there, so that all subscriptions of all its threads hang on it where followers
 * are preferred. The listener is registered, ordered, and has got an event.
 */
export async function startOnOneFollower(
  cluster: EventStoreCluster,
  receiver: Receiver,
  start: () => Promise<ServiceProcess>,
): Promise<{ service: ServiceProcess; follower: Member }> {
  const [follower, ...others] = cluster.followers;
  if (!follower) throw new Error('there are no followers');
  for (const other of others) {
    await cluster.kill(other);
    await until(() => cluster.isTakenForDead(other), 'a follower to be taken for dead');
  }
  const service = await start();
  await startListener(service, receiver);
  for (const other of others) await cluster.thaw(other);
  return { service, follower };
}

async function untilPublished(publishNext: () => Promise<string | undefined>): Promise<string> {
  for (;;) {
    const id = await publishNext();
    if (id !== undefined) return id;
  }
}

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id;

async function flowEventsOf({ url }: EventStoreCluster): Promise<readonly string[]> {
  const store = openEventStoreDb({ url });
  const ids: string[] = [];
  for await (const { data } of store.readAll({ filter: { categories: ['flow'] } }))
    ids.push((data as { id: string }).id); // as it was published: the event has another
  await store.close();
  return ids;
}
