import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { StoreDamaged, StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { BuildsDiffer, ProjectionFailed, RebuildCancelled, RebuildUnderWay } from '../../../src/views/errors.js';
import { buildName, put, remove } from '../../../src/views/projection.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { cancelRebuild } from '../../../src/views/rebuilding/cancel-rebuild.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import type { RebuildProgress } from '../../../src/views/rebuilds.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { countingOpen } from '../../support/views/open-builds.js';
import { viewFile } from '../../support/views/view-file.js';
import { counterSet, counters, setCounter } from '../counters.js';

describe('rebuilding a view', () => {
  let directory: string;
  let store: EventStore;
  let readModel: ReadModel;

  beforeEach(() => {
    directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
  });
  afterEach(async () => {
    await readModel.close();
    await store.close();
  });

  /** A read model whose builds do something more when they are finished. */
  const finishing = (then: () => Promise<void>): ReadModel => ({
    ...readModel,
    async open(...args) {
      const build = await readModel.open(...args);
      return { ...build, finish: () => build.finish().then(then) };
    },
  });

  it('makes a view of an empty store', async () => {
    const { build, events } = await rebuild({ store, readModel, projection: counters() });
    expect(events).to.equal(0);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.find(counters(), { where: {} })).to.deep.equal([]);
  });

  it('makes a new build where the unfinished one is damaged while it is loaded', async () => {
    await setCounter(store, 'a', 1);
    const opened: string[] = [];
    const damaged: ReadModel = {
      ...readModel,
      async open(projection, name, options) {
        const build = await readModel.open(projection, name, options);
        opened.push(name);
        if (opened.length > 1) return build;
        return { ...build, apply: () => Promise.reject(new StoreDamaged(name, `${name} is damaged`)) };
      },
    };
    const once = () => rebuild({ store, readModel: damaged, projection: counters() });
    expect(await rejection(once())).to.be.instanceOf(StoreDamaged);
    const { build, resumed } = await once();
    expect(resumed).to.equal(false);
    expect(opened).to.have.length(2);
    expect(await readModel.builds(counters())).to.deep.equal([build]);
    expect(await readModel.get(counters(), 'a')).to.include({ value: 1 });
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
      store,
      readModel,
      projection: counters(),
      onProgress: (progress) => void told.push(progress),
    });
    expect(events).to.equal(6_500);
    expect(seconds).to.be.greaterThan(0);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.position(counters())).to.equal(await store.head());
    expect(await readModel.get(counters(), 'a')).to.deep.equal({ value: 499, version: 1 });
    expect(told.length).to.be.greaterThan(1);
    expect(told.at(-1)).to.include({
      phase: 'done',
      events: 6_500,
      position: await store.head(),
      head: await store.head(),
    });
  });

  it('lets a batch grow while the one before is written, as far as the build wants it', async () => {
    for (let round = 0; round < 10; round += 1)
      await store.append(
        `counter-${round}`,
        Array.from({ length: 500 }, (_, value) => counterSet('a', value)),
      );
    let seen = 0;
    const sizes: number[] = [];
    const slow: ReadModel = {
      ...readModel,
      async open(...args) {
        const build = await readModel.open(...args);
        const apply: typeof build.apply = async (batch, position) => {
          sizes.push(batch.length);
          if (sizes.length === 1) await until(() => seen >= 4_000, 'the next batch to grow');
          await build.apply(batch, position);
        };
        return { ...build, mostAtOnce: 3_000, apply };
      },
    };
    const onEvent = () => {
      seen += 1;
    };
    const { events } = await rebuild({ store, readModel: slow, projection: counters({ onEvent }) });
    expect(events).to.equal(5_000);
    expect(sizes[0]).to.be.within(1_000, 2_000);
    expect(sizes[1]).to.be.within(3_000, 4_000);
    expect(await readModel.get(counters(), 'a')).to.deep.equal({ value: 499, version: 1 });
  });

  it('lets the live build answer until it is done', async () => {
    await setCounter(store, 'a', 1);
    await rebuild({ store, readModel, projection: counters() });
    await setCounter(store, 'a', 2);
    const seen: unknown[] = [];
    await rebuild({
      store,
      readModel,
      projection: counters(),
      onProgress: () => void seen.push(readModel.get(counters(), 'a')),
    });
    expect(seen).not.to.have.length(0);
    for (const each of await Promise.all(seen)) expect(each).to.deep.equal({ value: 1, version: 1 });
    expect(await readModel.get(counters(), 'a')).to.include({ value: 2 });
  });

  it('also holds events appended while the indexes are made', async () => {
    await setCounter(store, 'a', 1);
    const appending = finishing(async () => void (await setCounter(store, 'a', 2)));
    await rebuild({ store, readModel: appending, projection: counters() });
    expect(await readModel.get(counters(), 'a')).to.include({ value: 2 });
  });

  it('leaves the live build when it fails, and continues before the failed event', async () => {
    await setCounter(store, 'a', 1);
    const { build } = await rebuild({ store, readModel, projection: counters() });
    const failing = counters({
      onEvent: () => {
        throw new Error('cannot count that');
      },
    });
    expect(await rejection(rebuild({ store, readModel, projection: failing }))).to.be.instanceOf(ProjectionFailed);
    expect(await readModel.live(counters())).to.equal(build);
    expect((await readModel.rebuilds.find(counters()))?.holder).to.equal(undefined);

    const again = await rebuild({ store, readModel, projection: counters() });
    expect(again).to.include({ resumed: true, events: 1 });
    expect(await readModel.live(counters())).to.equal(again.build);
    expect(await readModel.rebuilds.find(counters())).to.equal(undefined);
  });

  it('leaves no build open where the store is gone as soon as it begins', async () => {
    const { counted, open } = countingOpen(readModel);
    const gone: EventStore = { ...store, head: () => Promise.reject(new StoreUnavailable('gone')) };
    const failure = await rejection(rebuild({ store: gone, readModel: counted, projection: counters() }));
    expect(failure).to.be.instanceOf(StoreUnavailable);
    expect(open()).to.equal(0);
  });

  it('ends on abort, and the live build does not change', async () => {
    await setCounter(store, 'a', 1);
    const stop = new AbortController();
    stop.abort(new Error('not now'));
    const failure = await rejection(rebuild({ store, readModel, projection: counters(), signal: stop.signal }));
    expect(failure).to.have.property('message', 'not now');
    expect(await readModel.live(counters())).to.equal(undefined);
  });

  /** Each on its own stream. */
  async function appendCounters(count: number): Promise<void> {
    const events = Array.from({ length: count }, (_, index) => counterSet(`${index}`, index));
    for (let from = 0; from < count; from += 500) await store.append(`counter-${from}`, events.slice(from, from + 500));
  }

  it('continues unfinished work, and repeats none', async () => {
    await appendCounters(5_000);
    const stop = new AbortController();
    const stopped = rebuild({
      store,
      readModel,
      projection: counters(),
      signal: stop.signal,
      onProgress: ({ events }) => events > 0 && stop.abort(new Error('enough')),
    });
    expect(await rejection(stopped)).to.have.property('message', 'enough');
    const left = await readModel.rebuilds.find(counters());
    expect(left?.holder).to.equal(undefined);

    await setCounter(store, 'later', 1);
    const rebuilt = await rebuild({ store, readModel, projection: counters() });
    expect(rebuilt).to.include({ resumed: true, build: left?.build });
    expect(rebuilt.events).to.be.within(1, 4_001);
    expect(await readModel.get(counters(), '4999')).to.include({ value: 4_999 });
    expect(await readModel.get(counters(), '0')).to.include({ value: 0 });
    expect(await readModel.get(counters(), 'later')).to.include({ value: 1 });
    expect(await readModel.builds(counters())).to.deep.equal([rebuilt.build]);
  });

  it('begins anew if the unfinished one can no longer be read', async () => {
    await setCounter(store, 'a', 1);
    const claim = await readModel.rebuilds.claim(counters());
    const broken = buildName(counters(), 'broken');
    await claim.begin(broken);
    await claim.release();
    writeFileSync(viewFile(directory, broken), 'no database at all'.repeat(1_000));
    const rebuilt = await rebuild({ store, readModel, projection: counters() });
    expect(rebuilt).to.include({ resumed: false, events: 1 });
    expect(await readModel.builds(counters())).to.deep.equal([rebuilt.build]);
  });

  it('runs in one process at a time, and names that process', async () => {
    await setCounter(store, 'a', 1);
    let second: unknown;
    await rebuild({
      store,
      projection: counters(),
      readModel: finishing(async () => {
        second = await rejection(rebuild({ store, readModel, projection: counters() }));
      }),
    });
    expect(second).to.be.instanceOf(RebuildUnderWay);
    expect((second as Error).message).to.match(new RegExp(`by process ${process.pid} on .+ since 20`));
  });

  it('can be cancelled by another process, drops its build, and leaves the live build unchanged', async () => {
    await setCounter(store, 'a', 1);
    const { build } = await rebuild({ store, readModel, projection: counters() });
    const cancelled = rebuild({
      store,
      projection: counters(),
      readModel: finishing(async () => void expect(await cancelRebuild(readModel, counters())).to.equal('asked')),
    });
    expect(await rejection(cancelled)).to.be.instanceOf(RebuildCancelled);
    expect(await readModel.live(counters())).to.equal(build);
    expect(await readModel.builds(counters())).to.deep.equal([build]);
    expect(await readModel.rebuilds.find(counters())).to.equal(undefined);
  });

  it('is dropped at once by a cancellation when no process works on it', async () => {
    await setCounter(store, 'a', 1);
    expect(await cancelRebuild(readModel, counters())).to.equal('none');
    const signal = AbortSignal.abort(new Error('not now'));
    await rejection(rebuild({ store, readModel, projection: counters(), signal }));
    expect(await readModel.builds(counters())).to.have.length(1);
    expect(await cancelRebuild(readModel, counters())).to.equal('dropped');
    expect(await readModel.builds(counters())).to.deep.equal([]);
    expect(await readModel.rebuilds.find(counters())).to.equal(undefined);
  });

  it('can be cancelled again if the unfinished one could not be dropped', async () => {
    await setCounter(store, 'a', 1);
    await rejection(rebuild({ store, readModel, projection: counters(), signal: AbortSignal.abort() }));
    const drop = () => Promise.reject(new StoreUnavailable('not now'));
    expect(await rejection(cancelRebuild({ ...readModel, drop }, counters()))).to.be.instanceOf(StoreUnavailable);
    expect((await readModel.rebuilds.find(counters()))?.holder).to.equal(undefined);
    expect(await cancelRebuild(readModel, counters())).to.equal('dropped');
  });

  describe('with verification', () => {
    it('compares every document, and points queries at the new build where all are the same', async () => {
      await appendCounters(2_500);
      const first = await rebuild({ store, readModel, projection: counters(), verify: true });
      expect(first.verified).to.equal(undefined);
      await setCounter(store, 'after', 1); // no service has the live build follow
      const { build, verified } = await rebuild({ store, readModel, projection: counters(), verify: true });
      expect(verified).to.equal(2_500);
      expect(await readModel.live(counters())).to.equal(build);
      expect(await readModel.get(counters(), 'after')).to.include({ value: 1 });
    });

    it('leaves queries where they are where documents differ, are missing or too many; without it they go on', async () => {
      await appendCounters(3);
      const { build } = await rebuild({ store, readModel, projection: counters() });
      const live = await readModel.open(counters(), build);
      const position = await setCounter(store, 'b', 1);
      const changes = [put('0', { value: 99 }), remove('1'), put('more', { value: 1 })];
      await live.apply([{ position, operations: [...changes, put('b', { value: 1, version: 1 })] }], position);
      await live.close();

      const differ = await rejection(rebuild({ store, readModel, projection: counters(), verify: true }));
      expect(differ).to.be.instanceOf(BuildsDiffer);
      expect((differ as BuildsDiffer).keys).to.have.members(['0', '1', 'more']);
      expect(await readModel.live(counters())).to.equal(build);

      const taken = await rebuild({ store, readModel, projection: counters() });
      expect(taken).to.include({ resumed: true });
      expect(await readModel.get(counters(), '0')).to.include({ value: 0 });
      expect(await readModel.find(counters(), { where: {} })).to.have.length(4);
    });
  });
});
