import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { follow } from '../../../src/views/following/follow.js';
import { buildName } from '../../../src/views/projection.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { until } from '../../support/until.js';
import { changeViewFile } from '../../support/views/view-file.js';
import { counters, setCounter } from '../counters.js';
import { timings, viewBench } from '../view-bench.js';

describe('following a projection from build to build', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('continues with the build that another process has made live, and drops the old one', async () => {
    const { directory, store, readModel, started, counted } = bench;
    const follower = started(counters());
    await follower.passed(await setCounter(store, 'a', 1));
    const old = follower.status().build;

    const elsewhere = openSqliteReadModel({ directory });
    const { build } = await rebuild({ store, readModel: elsewhere, projection: counters() });
    await elsewhere.close();
    await until(() => follower.status().build === build, 'the flip');
    await follower.passed(await setCounter(store, 'a', 2));
    expect(await counted('a')).to.equal(2);
    await until(async () => !(await readModel.builds(counters())).some((one) => one === old), 'the old build to go');
    expect(await readModel.builds(counters())).to.deep.equal([build]);
  });

  it('makes the view anew where another release has made it with other tables, and drops that build', async () => {
    const { directory, store, readModel, started, counted } = bench;
    const before = started(counters());
    await before.passed(await setCounter(store, 'a', 1));
    const { build } = before.status();
    await before.stop();
    changeViewFile(directory, `${build}`, 'PRAGMA user_version = 99');

    const elsewhere = openSqliteReadModel({ directory });
    const follower = follow({
      store,
      readModel: elsewhere,
      projection: counters(),
      log: pino({ enabled: false }),
      timings,
    });
    await follower.passed(await setCounter(store, 'b', 2));
    expect(await elsewhere.get(counters(), 'a')).to.include({ value: 1 });
    await until(async () => !(await elsewhere.builds(counters())).some((one) => one === build), 'the old build to go');
    await follower.stop();
    await elsewhere.close();
    expect(await readModel.live(counters())).not.to.equal(build);
    expect(await counted('b')).to.equal(2);
  });

  it('leaves alone a build that another process is making', async () => {
    const { store, readModel, started } = bench;
    const follower = started(counters());
    await follower.passed(await setCounter(store, 'a', 1));
    const later = await readModel.open(counters(), buildName(counters(), 'zzzz'), { bulk: true });
    const { build } = await rebuild({ store, readModel, projection: counters() });
    await until(async () => (await readModel.builds(counters())).length === 2, 'the old build to go');
    expect(await readModel.builds(counters())).to.deep.equal([build, later.name]);
    await later.close();
  });

  it('shows passed positions also right after another build became live', async () => {
    const { store, readModel, started, counted } = bench;
    const follower = started(counters(), { timings: { ...timings, pollMs: 60_000 } });
    await follower.passed(await setCounter(store, 'a', 1));
    await rebuild({ store, readModel, projection: counters() });
    expect(await counted('a')).to.equal(1);
    await follower.passed(await setCounter(store, 'a', 2));
    expect(await counted('a')).to.equal(2);
  });

  it('shows passed positions also if the live build is behind them', async () => {
    const { store, readModel, started, counted } = bench;
    const follower = started(counters(), { timings: { ...timings, pollMs: 60_000 } });
    await follower.passed(await setCounter(store, 'a', 1));
    const behind = await readModel.open(counters(), buildName(counters(), 'zzzz'));
    await readModel.flip(counters(), behind.name);
    expect(await counted('a')).to.equal(1);
    await behind.close();
  });

  it('keeps to that while builds change all the time', async () => {
    const { store, readModel, started, counted } = bench;
    const follower = started(counters());
    let rebuilding = true;
    const rebuilds = (async () => {
      for (let count = 0; count < 8; count += 1) await rebuild({ store, readModel, projection: counters() });
      rebuilding = false;
    })();
    for (let value = 1; rebuilding; value += 1) {
      await follower.passed(await setCounter(store, 'a', value));
      expect(await counted('a')).to.equal(value);
    }
    await rebuilds;
  });

  it('drops an earlier version that was idle for long though events came, and no later one', async () => {
    const { store, readModel, started } = bench;
    const old = started(counters());
    await old.passed(await setCounter(store, 'a', 1));
    const later = await rebuild({ store, readModel, projection: counters({ version: 3 }) });
    const next = started(counters({ version: 2 }), { timings: { ...timings, versionsMs: 5, idleVersionMs: 2_000 } });
    for (let value = 2; value < 30; value += 1) {
      await next.passed(await setCounter(store, 'a', value)); // both are kept up to date
      await old.passed(await store.head());
      await pause(20);
    }
    expect(await readModel.live(counters())).to.equal(old.status().build);

    await old.stop();
    await until(async () => {
      await setCounter(store, 'a', 1);
      return (await readModel.live(counters())) === undefined;
    }, 'the earlier version to go');
    expect(await readModel.builds(counters())).to.have.members([next.status().build, later.build]);
  });

  it('builds a new version beside the old one', async () => {
    const { store, readModel, started } = bench;
    const old = started(counters());
    await old.passed(await setCounter(store, 'a', 1));
    const next = started(counters({ version: 2 }));
    await next.passed(await store.head());
    expect(await readModel.get(counters(), 'a')).to.deep.equal({ value: 1, version: 1 });
    expect(await readModel.get(counters({ version: 2 }), 'a')).to.deep.equal({ value: 1, version: 2 });
  });
});
