import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import { searchListeners } from '../../../src/listeners/queries/search-listeners.js';
import type { ListenerLog } from '../../../src/queue/listener-log.js';
import type { ListenerHealth } from '../../../src/queue/policy/listener-health.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build, ReadModel } from '../../../src/views/read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { applyEvents } from '../../support/views/project-events.js';
import { failing, paused, subscribed } from '../fixtures.js';

const idOf = (number: number) => `0000000${number}-1111-4111-8111-111111111111`;
const listener = (number: number) => ({ listenerId: idOf(number), hookUrl: `https://hooks.example.com/${number}` });

const broken: ListenerHealth = { recent: [], breaker: { openings: 1, openUntil: 9_000, probing: false } };
const failingHealth: ListenerHealth = { recent: [], failing: { since: 1_000, attempts: 20 } };

const stuck = {
  orgId: 'org-1',
  hookUrl: 'https://hooks.example.com/1',
  paused: false,
  dueSince: undefined,
  waiting: 1,
  held: 0,
};

/** A queue that knows these listeners' health. */
function queueOf(healths: Readonly<Record<number, ListenerHealth>>): ListenerLog {
  const known = new Map(Object.entries(healths).map(([number, health]) => [idOf(Number(number)), health]));
  return {
    listeners: async ({ limit }) =>
      [...known]
        .filter(([, { breaker }]) => breaker)
        .map(([listenerId, health]) => ({ ...stuck, listenerId, health }))
        .slice(0, limit),
    listenerStates: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const health = known.get(id);
          return health ? [[id, { health, paused: false, head: undefined, keptBackUntil: undefined }] as const] : [];
        }),
      ),
  };
}

describe('a search of listeners in trouble', () => {
  let readModel: ReadModel;
  let build: Build;

  beforeEach(async () => {
    readModel = openSqliteReadModel({ directory: temporaryDirectory() });
    build = await readModel.open(listenersView, buildName(listenersView, 'run-1'));
    await readModel.flip(listenersView, build.name);
    const said = { since: '2026-01-01T00:00:00.000Z', failures: 20, percent: 50 };
    await applyEvents(
      build,
      listenersView,
      recordedListenerEvents([
        ...[1, 2, 3, 4, 5].map((number) => subscribed(listener(number))),
        failing({ ...listener(2), since: 0, failing: said }),
        failing({ ...listener(3), since: 0, failing: said }),
        paused({ ...listener(5), since: 0 }),
      ]),
    );
  });
  afterEach(async () => {
    await build.close();
    await readModel.close();
  });

  it('finds open circuit breakers and recorded failures, not those that have recovered', async () => {
    const queue = queueOf({ 2: failingHealth, 3: { recent: [] }, 4: broken, 5: broken });
    const { listeners, next } = await searchListeners(
      { readModel, queue, clock: () => 0 },
      { state: 'troubled', limit: 10 },
    );
    expect(listeners.map(({ details, state }) => [details.listenerId, state?.health])).to.deep.equal([
      [idOf(5), broken],
      [idOf(4), broken],
      [idOf(2), failingHealth],
    ]);
    expect(next).to.equal(undefined);
  });

  it('pages them, and narrows them to a URL', async () => {
    const queue = queueOf({ 1: broken, 2: failingHealth, 4: broken });
    const search = async (query: object) => {
      const { listeners, next } = await searchListeners(
        { readModel, queue, clock: () => 0 },
        { state: 'troubled', limit: 2, ...query },
      );
      return [listeners.map(({ details }) => details.listenerId), next];
    };
    expect(await search({})).to.deep.equal([[idOf(4), idOf(2)], idOf(2)]);
    expect(await search({ after: idOf(2) })).to.deep.equal([[idOf(1)], undefined]);
    expect(await search({ urlPart: 'EXAMPLE.com/2' })).to.deep.equal([[idOf(2)], undefined]);
    expect(await search({ hookUrl: listener(1).hookUrl })).to.deep.equal([[idOf(1)], undefined]);
  });

  it('shows the health of listeners in other states too', async () => {
    const queue = queueOf({ 4: broken });
    const { listeners } = await searchListeners({ readModel, queue, clock: () => 0 }, { state: 'active', limit: 10 });
    expect(listeners.map(({ state }) => state?.health.breaker?.openings)).to.deep.equal([
      1,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
