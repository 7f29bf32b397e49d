import { expect } from 'chai';
import fc from 'fast-check';
import { type ListenerPeriod, listenersView } from '../../projections/listeners.js';
import type { ListenerEvent } from '../../src/events/listener-events.js';
import { DomainError } from '../../src/kernel/domain-error.js';
import { normalisedHookUrl } from '../../src/listeners/hook-url.js';
import { listenerDecider, listenerStream } from '../../src/listeners/listener.js';
import type { JsonObject } from '../../src/stores/event-store/event-store.js';
import { open } from '../../src/views/projection.js';
import { folded, given } from '../support/given.js';
import {
  changeOptions,
  failing,
  noticeFailing,
  now,
  pause,
  paused,
  resume,
  resumed,
  rotateSecret,
  secretOf,
  secretRotated,
  subscribe,
  subscribed,
  subscriptionChanged,
  unsubscribe,
  unsubscribed,
} from './fixtures.js';

const day = 24 * 60 * 60 * 1000;
const since = fc.record({
  since: fc.nat(),
  secret: fc.integer({ min: 1, max: 9 }).map((version) => secretOf(version)),
});

const anyEvent: fc.Arbitrary<ListenerEvent> = fc.oneof(
  fc.record({ listenerId: fc.uuid(), subscriptionType: fc.string() }).map(subscribed),
  since.map((period) => subscriptionChanged({ ...period, from: 'flow.*' })),
  since.map(paused),
  fc
    .tuple(since, fc.record({ failures: fc.nat(), percent: fc.nat({ max: 100 }) }))
    .map(([period, said]) => failing({ ...period, failing: { since: now.toISOString(), ...said } })),
  since.map(resumed),
  fc.tuple(since, fc.boolean()).map(([period, paused]) => secretRotated({ ...period, paused })),
  fc.tuple(since, fc.boolean()).map(([period, paused]) => subscriptionChanged({ ...period, paused, ordered: true })),
  since.map(unsubscribed),
);

const task = fc.constantFrom(
  { state: 'active', orgId: null, name: 'default' } as const,
  { state: 'inactive', orgId: null, name: 'default' } as const,
  { state: 'missing' } as const,
);

/** The caller and the listener of a command, with its URL in any spelling. */
const details = fc.record({
  orgId: fc.constantFrom('org-1', 'org-2'),
  hookUrl: fc.constantFrom('https://a.example/1', 'HTTPS://A.example:443/1#x', 'https://a.example/2'),
  userId: fc.constantFrom('user-1', 'user-2'),
  subscriptionType: fc.constantFrom('flow.*', '*', 'flow.completed'),
  transform: fc.constantFrom(null, 'data.a'),
  filter: fc.constantFrom(null, '{"data.a":1}'),
  ordered: fc.constantFrom(undefined, true, false),
  ratePerSecond: fc.constantFrom(undefined, null, 5),
});

const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ listenerId: fc.uuid(), task }).map((rest) => ({ kind: 'subscribe', ...rest }) as const),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'unsubscribe' } as const) },
  {
    weight: 1,
    arbitrary: fc
      .record({ days: fc.nat(6), attempts: fc.nat(25) })
      .map(
        ({ days, attempts }) => ({ kind: 'fail', failing: { since: now.getTime() - days * day, attempts } }) as const,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { kind: 'pause' } as const,
      { kind: 'resume' } as const,
      { kind: 'rotate' } as const,
      { kind: 'options' } as const,
    ),
  },
);

type Step = [typeof details, typeof command] extends [fc.Arbitrary<infer Who>, fc.Arbitrary<infer What>]
  ? readonly [Omit<Who, 'hookUrl'> & { hookUrl: string }, What]
  : never;

function decisionOf(who: Step[0], what: Step[1], listenerId: string) {
  switch (what.kind) {
    case 'subscribe':
      return subscribe({ ...who, ...what });
    case 'unsubscribe':
      return unsubscribe();
    case 'pause':
      return pause(listenerId);
    case 'resume':
      return resume(listenerId);
    case 'rotate':
      return rotateSecret({ listenerId, overlapMs: 1_000 });
    case 'options':
      return changeOptions({ ordered: who.ordered, ratePerSecond: who.ratePerSecond }, listenerId);
    case 'fail':
      return noticeFailing({ listenerId, failing: what.failing });
  }
}

/** Runs the commands like the service, each on the stream of its listener; refused ones change nothing. */
function run(steps: readonly Step[]): ReadonlyMap<string, readonly ListenerEvent[]> {
  const streams = new Map<string, ListenerEvent[]>();
  for (const [who, what] of steps) {
    const hookUrl = normalisedHookUrl(who.hookUrl);
    const stream = listenerStream(who.orgId, hookUrl);
    const history = streams.get(stream) ?? [];
    const { state } = given(listenerDecider, history);
    const decide = decisionOf({ ...who, hookUrl }, what, state.state === 'none' ? 'none' : state.details.listenerId);
    try {
      history.push(...decide(state));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
    streams.set(stream, history);
  }
  return streams;
}

/** The documents of the listeners view after these streams; fails if an event ends a period that has not begun. */
function view(streams: ReadonlyMap<string, readonly ListenerEvent[]>): ListenerPeriod[] {
  const documents = new Map<string, JsonObject>();
  let position = 0n;
  for (const [stream, events] of streams) {
    for (const [index, event] of events.entries()) {
      const handler = listenersView.on.listener?.[event.type];
      const place = { id: '', stream, revision: BigInt(index), position, recordedAt: '', metadata: {} };
      position += 1n;
      for (const operation of [handler?.({ ...event, ...place }) ?? []].flat()) {
        if (operation.kind === 'put') documents.set(operation.key, operation.document);
        if (operation.kind !== 'patch') continue;
        const document = documents.get(operation.key);
        expect(document, `the period that ${event.type} is about`).to.include({ until: open });
        documents.set(operation.key, { ...document, ...operation.fields });
      }
    }
  }
  return [...documents.values()] as unknown as ListenerPeriod[]; // this is what the projection writes
}

const steps = fc.array(fc.tuple(details, command), { maxLength: 40 });

describe('a listener, after any commands', () => {
  it('has the same state from any history as from its last event alone', () =>
    fc.assert(fc.property(fc.array(anyEvent), (history) => void folded(listenerDecider, history))));

  it('has at most one active listener for each listener of an organisation', () =>
    fc.assert(
      fc.property(steps, (commands) => {
        const listenerIdsByListener = new Map<string, Set<string>>();
        for (const event of [...run(commands).values()].flat()) {
          const { orgId, hookUrl, listenerId } = event.data;
          const listener = JSON.stringify([orgId, hookUrl]);
          const ids = listenerIdsByListener.get(listener) ?? new Set();
          if (event.type === 'ListenerUnsubscribed') ids.delete(listenerId);
          else ids.add(listenerId);
          expect(ids.size).to.be.at.most(1);
          listenerIdsByListener.set(listener, ids);
        }
      }),
    ));

  it('has at most one open period in the view, and each event ends the previous one', () =>
    fc.assert(
      fc.property(steps, (commands) => {
        const holding = view(run(commands)).filter(({ until }) => until === open);
        const listeners = holding.map(({ orgId, hookUrl }) => JSON.stringify([orgId, hookUrl]));
        expect(new Set(listeners).size).to.equal(listeners.length);
      }),
    ));

  it('has the same current listener as the view', () =>
    fc.assert(
      fc.property(steps, (commands) => {
        const streams = run(commands);
        const states = [...streams.values()].map((history) => given(listenerDecider, history).state);
        const expected = states.flatMap((listener) =>
          listener.state === 'active' || listener.state === 'paused'
            ? [{ state: listener.state, ...listener.details }]
            : [],
        );
        const holding = view(streams).filter(({ until }) => until === open);
        expect(holding.map(({ from, since, until, pausedBy, status, ...rest }) => rest)).to.have.deep.members(expected);
        for (const { state, pausedBy, failing, status } of holding) {
          const active = failing !== null && failing.percent > 0 ? 'failing' : 'active';
          const paused = pausedBy === 'failing' ? 'paused-failing' : 'paused';
          expect(status).to.equal(state === 'active' ? active : paused);
        }
      }),
    ));
});
