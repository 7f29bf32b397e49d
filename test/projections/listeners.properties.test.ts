import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { v7 as timeSortable } from 'uuid';
import { listenersView } from '../../projections/listeners.js';
import type { ListenerEvent } from '../../src/events/listener-events.js';
import { isRegistered, type Listener, listenerDecider, listenerStream } from '../../src/listeners/listener.js';
import { registeredAt } from '../../src/listeners/queries/registered-listeners.js';
import type { RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { buildName } from '../../src/views/projection.js';
import type { Build, ReadModel } from '../../src/views/read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { pause, resume, rotateSecret, subscribe, unsubscribe } from '../listeners/fixtures.js';
import { collectPages } from '../support/collect-pages.js';
import { recordedListenerEvents } from '../support/recorded.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { applyEvents } from '../support/views/project-events.js';

const orgIds = ['org-1', 'org-2'];

const command = fc.record({
  orgId: fc.constantFrom(...orgIds),
  hookUrl: fc.constantFrom('https://a.example/1', 'https://a.example/2'),
  kind: fc.constantFrom('subscribe', 'subscribe', 'unsubscribe', 'pause', 'resume', 'rotate'),
  subscriptionType: fc.constantFrom('*', 'flow.*'),
  listenerId: fc.uuid(),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

function decided({ kind, ...details }: Command, listener: Listener): readonly ListenerEvent[] {
  if (kind === 'subscribe') return subscribe(details)(listener);
  if (!isRegistered(listener)) return [];
  if (kind === 'unsubscribe') return unsubscribe()(listener);
  const { listenerId } = listener.details;
  if (kind === 'pause') return pause(listenerId)(listener);
  return kind === 'resume' ? resume(listenerId)(listener) : rotateSecret({ listenerId })(listener);
}

type Listeners = ReadonlyMap<string, Listener>;

/** A possible history, and the listeners after each of its events. */
function history(commands: readonly Command[]) {
  const events: ListenerEvent[] = [];
  const states: Listeners[] = [];
  const revisions = new Map<string, bigint>();
  let listeners: Listeners = new Map();
  for (const one of commands) {
    const stream = listenerStream(one.orgId, one.hookUrl);
    for (const event of decided(one, listeners.get(stream) ?? listenerDecider.initialState())) {
      const revision = (revisions.get(stream) ?? -1n) + 1n;
      revisions.set(stream, revision);
      const before = listeners.get(stream) ?? listenerDecider.initialState();
      listeners = new Map(listeners).set(stream, listenerDecider.evolve(before, { ...event, revision }));
      events.push(event);
      states.push(listeners);
    }
  }
  return { events: recordedListenerEvents(events), states };
}

const registeredIn = (listeners: Listeners, orgId: string) =>
  [...listeners.values()].flatMap((listener) =>
    isRegistered(listener) && listener.details.orgId === orgId
      ? [`${listener.details.listenerId} ${listener.details.subscription.subscriptionType} ${listener.state}`]
      : [],
  );

/** Splits a list into parts of these sizes; the last part is the rest. */
function batches(events: readonly RecordedEvent[], sizes: readonly number[]) {
  const parts: (readonly RecordedEvent[])[] = [];
  let from = 0;
  for (const size of sizes) {
    parts.push(events.slice(from, from + size));
    from += size;
  }
  return [...parts, events.slice(from)];
}

describe('the listeners view, for any history', () => {
  let readModel: ReadModel;
  before(() => {
    readModel = openSqliteReadModel({ directory: join(temporaryDirectory(), 'views') });
  });
  after(() => readModel.close());

  async function built(parts: readonly (readonly RecordedEvent[])[]): Promise<Build> {
    const build = await readModel.open(listenersView, buildName(listenersView, timeSortable()), { bulk: true });
    for (const part of parts) await applyEvents(build, listenersView, part);
    await build.finish();
    await build.close();
    await readModel.flip(listenersView, build.name);
    return build;
  }
  const documents = () => readModel.find(listenersView, { where: {}, limit: 1000 });

  it('has the same documents for any batches of the events', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(command, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 12 })),
        async (commands, sizes) => {
          const { events } = history(commands);
          const one = await built(events.map((event) => [event]));
          const oneByOne = await documents();
          const another = await built(batches(events, sizes));
          expect(await documents()).to.deep.equal(oneByOne);
          for (const { name } of [one, another]) await readModel.drop(name);
        },
      ),
      { numRuns: 40 },
    ));

  it('returns exactly the listeners at each position of the history', () =>
    fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const { events, states } = history(commands);
        const { name } = await built([events]);
        for (const [position, listeners] of states.entries()) {
          for (const orgId of orgIds) {
            const found = await collectPages(registeredAt(readModel, orgId, BigInt(position)));
            const returned = found.map(
              ({ listenerId, subscription, state }) => `${listenerId} ${subscription.subscriptionType} ${state}`,
            );
            expect(returned, `${orgId} at ${position}`).to.have.members(registeredIn(listeners, orgId));
          }
        }
        await readModel.drop(name);
      }),
      { numRuns: 25 },
    ));
});
