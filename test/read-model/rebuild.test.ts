import { expect } from 'chai';
import type { EventStore } from '../../src/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { ProjectionFailed } from '../../src/read-model/errors.js';
import type { ReadModel } from '../../src/read-model/read-model.js';
import { type RebuildProgress, rebuild } from '../../src/read-model/rebuild.js';
import { openSqliteReadModel } from '../../src/read-model/sqlite/sqlite-read-model.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { counterSet, counters, setCounter } from './counters.js';

describe('rebuilding a view', () => {
  let store: EventStore;
  let readModel: ReadModel;

  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
  });
  afterEach(async () => {
    await readModel.close();
    await store.close();
  });

  it('makes a view of an empty store', async () => {
    const { build, events } = await rebuild({ store, readModel, projection: counters() });
    expect(events).to.equal(0);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.find(counters(), { where: {} })).to.deep.equal([]);
  });

  it('holds all of history, and tells how far it is', async () => {
    const batch = Array.from({ length: 500 }, (_, value) => counterSet('a', value));
    for (let round = 0; round < 13; round += 1)
      await store.append(
        `counter-${round}`,
        batch.map((event) => ({ ...event, id: crypto.randomUUID() })),
      );
    await store.append('other-1', [{ id: crypto.randomUUID(), type: 'Other', data: {}, metadata: {} }]);

    const told: RebuildProgress[] = [];
    const { build, events, seconds } = await rebuild({
      ...{ store, readModel, projection: counters() },
      onProgress: (progress) => void told.push(progress),
    });
    expect(events).to.equal(6_500);
    expect(seconds).to.be.greaterThan(0);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.position(counters())).to.equal(await store.head());
    expect(await readModel.get(counters(), 'a')).to.deep.equal({ value: 499, version: 1 });
    expect(told.length).to.be.greaterThan(1);
    expect(told.at(-1)).to.deep.equal({ events: 6_500, position: await store.head(), head: await store.head() });
  });

  it('lets the live build answer until it is done', async () => {
    await setCounter(store, 'a', 1);
    await rebuild({ store, readModel, projection: counters() });
    await setCounter(store, 'a', 2);
    const seen: unknown[] = [];
    await rebuild({
      ...{ store, readModel, projection: counters() },
      onProgress: () => void seen.push(readModel.get(counters(), 'a')),
    });
    expect(await Promise.all(seen)).to.deep.equal([{ value: 1, version: 1 }]);
    expect(await readModel.get(counters(), 'a')).to.include({ value: 2 });
  });

  it('also holds what is appended while the indexes are made', async () => {
    await setCounter(store, 'a', 1);
    const appending: ReadModel = {
      ...readModel,
      async open(...args) {
        const build = await readModel.open(...args);
        return {
          ...build,
          async finish() {
            await build.finish();
            await setCounter(store, 'a', 2);
          },
        };
      },
    };
    await rebuild({ store, readModel: appending, projection: counters() });
    expect(await readModel.get(counters(), 'a')).to.include({ value: 2 });
  });

  it('leaves the live build as it was when it fails, and nothing of its own', async () => {
    await setCounter(store, 'a', 1);
    const { build } = await rebuild({ store, readModel, projection: counters() });
    const failing = counters({
      onEvent: () => {
        throw new Error('cannot count that');
      },
    });
    expect(await rejection(rebuild({ store, readModel, projection: failing }))).to.be.instanceOf(ProjectionFailed);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.builds(counters())).to.deep.equal([build]);
  });

  it('ends when it is told to, and leaves nothing', async () => {
    await setCounter(store, 'a', 1);
    const stop = new AbortController();
    stop.abort(new Error('not now'));
    const failure = await rejection(rebuild({ store, readModel, projection: counters(), signal: stop.signal }));
    expect(failure).to.have.property('message', 'not now');
    expect(await readModel.builds(counters())).to.deep.equal([]);
    expect(await readModel.live(counters())).to.equal(undefined);
  });
});
