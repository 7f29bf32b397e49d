import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Logger, pino } from 'pino';
import type { Projection } from '../../projections/projection.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import type { EventStore } from '../../src/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { type Follow, type Follower, follow } from '../../src/read-model/follow.js';
import { buildName, type ReadModel } from '../../src/read-model/read-model.js';
import { rebuild } from '../../src/read-model/rebuild.js';
import { openSqliteReadModel } from '../../src/read-model/sqlite/sqlite-read-model.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';
import { counters, setCounter } from './counters.js';

const timings = { pollMs: 5, graceMs: 50, quietMs: 20, retryMs: 5, maxRetryMs: 20 };

describe('following a projection', () => {
  let directory: string;
  let store: EventStore;
  let readModel: ReadModel;
  let running: Follower[];
  let logged: { readonly level: number; readonly msg: string }[];
  let log: Logger;

  beforeEach(() => {
    directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
    running = [];
    logged = [];
    log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
  });
  afterEach(async () => {
    for (const follower of running) await follower.stop();
    await readModel.close();
    await store.close();
  });

  function started(projection: Projection, overrides: Partial<Follow> = {}): Follower {
    const follower = follow({ store, readModel, projection, log, timings, ...overrides });
    running.push(follower);
    return follower;
  }
  const counted = async (name: string, projection = counters()) => (await readModel.get(projection, name))?.value;

  it('shows each event to queries once its position has been passed', async () => {
    const follower = started(counters());
    for (const value of [1, 2, 3]) {
      await follower.passed(await setCounter(store, 'a', value));
      expect(await counted('a')).to.equal(value);
    }
    expect(follower.status()).to.deep.equal({
      name: 'counters',
      build: await readModel.live(counters()),
      position: await store.head(),
      caughtUp: true,
    });
  });

  it('builds the view from all of history where there is none', async () => {
    for (const value of [1, 2, 3]) await setCounter(store, 'a', value);
    const follower = started(counters());
    await follower.passed(await store.head());
    expect(await counted('a')).to.equal(3);
  });

  it('passes events that do not concern it, and types that it does not know', async () => {
    const follower = started(counters());
    await store.append('other-1', [{ id: crypto.randomUUID(), type: 'CounterSet', data: {}, metadata: {} }]);
    const strange = { id: crypto.randomUUID(), type: 'CounterPainted', data: {}, metadata: {} };
    const { position } = await store.append('counter-1', [strange]);
    await follower.passed(position);
    expect(await readModel.find(counters(), { where: {} })).to.deep.equal([]);
  });

  it('keeps its checkpoint while nothing concerns it, and when it stops', async () => {
    const follower = started(counters());
    const other = () => ({ id: crypto.randomUUID(), type: 'Other', data: {}, metadata: {} });
    await until(async () => {
      await store.append('other-1', [other()]);
      return (await readModel.position(counters())) !== undefined;
    }, 'the checkpoint of a quiet view');

    const { position } = await store.append('other-1', [other()]);
    await follower.passed(position);
    await follower.stop();
    expect(await readModel.position(counters())).to.equal(position);
  });

  it('goes on after a restart where it was, and handles nothing twice', async () => {
    const seen: string[] = [];
    const projection = counters({ onEvent: (name) => void seen.push(name) });
    const first = started(projection);
    await first.passed(await setCounter(store, 'a', 1));
    await first.stop();
    await setCounter(store, 'b', 2);

    const second = started(projection);
    await second.passed(await setCounter(store, 'c', 3));
    expect(seen).to.deep.equal(['a', 'b', 'c']);
    expect(await counted('a')).to.equal(1);
  });

  it('loses nothing to kill -9 in the middle of a batch, and has no document without its checkpoint', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const child = fork(fileURLToPath(new URL('./following-process.js', import.meta.url)), [directory]);
      await once(child, 'message'); // it has passed something
      for (let value = 0; value < 200; value += 1) await setCounter(store, `counter-${value % 7}`, value * round);
      child.kill('SIGKILL');
      await once(child, 'exit');

      const position = (await readModel.position(counters())) ?? -1n;
      const expected = new Map<string, unknown>();
      for await (const event of store.readAll()) {
        const { name, value } = event.data as { name: string; value: number };
        if (event.position <= position) expected.set(name, value);
      }
      const found = await readModel.find(counters(), { where: {} });
      expect(new Map(found.map(({ key, document }) => [key, document.value]))).to.deep.equal(expected);
    }
    const follower = started(counters());
    await follower.passed(await store.head());
    expect(await counted(`counter-${199 % 7}`)).to.equal(199 * 3);
  });

  it('stops right before an event that fails, says where and why once, and goes on when it no longer does', async () => {
    let broken = true;
    const follower = started(
      counters({
        onEvent: (name) => {
          if (broken && name === 'bad') throw new Error('cannot count that');
        },
      }),
    );
    await follower.passed(await setCounter(store, 'a', 1));
    const good = await setCounter(store, 'b', 2);
    const bad = await setCounter(store, 'bad', 3);
    const last = await setCounter(store, 'c', 4);
    await follower.passed(good);
    await until(() => follower.status().error !== undefined, 'the failure');

    expect(follower.status()).to.deep.include({ position: bad - 1n, caughtUp: false });
    expect(follower.status().error).to.deep.equal({
      message: `counters failed at position ${bad}: cannot count that`,
      position: bad,
    });
    expect(await counted('b')).to.equal(2);
    expect(await counted('c')).to.equal(undefined);

    broken = false;
    await follower.passed(last);
    expect(await counted('bad')).to.equal(3);
    expect(follower.status()).not.to.have.property('error');
    expect(logged.filter(({ level }) => level === 50)).to.have.length(1);
    expect(logged.map(({ msg }) => msg)).to.include('the view goes on');
  });

  it('stops at an event of a type it knows that holds something else', async () => {
    const follower = started(counters());
    await store.append('counter-1', [{ id: crypto.randomUUID(), type: 'CounterSet', data: { name: 7 }, metadata: {} }]);
    await until(() => follower.status().error !== undefined, 'the failure');
    expect(follower.status().error?.message).to.match(
      /failed at position \d+: CounterSet at revision 0 .* cannot be decoded/,
    );
  });

  it('fails alone: another view goes on', async () => {
    const failing = started(
      counters({
        version: 2,
        onEvent: () => {
          throw new Error('never works');
        },
      }),
    );
    const healthy = started(counters());
    await healthy.passed(await setCounter(store, 'a', 1));
    await until(() => failing.status().error !== undefined, 'the failure');
    expect(await counted('a')).to.equal(1);
  });

  it('tries again when the store fails, and loses nothing', async () => {
    let failures = 3;
    const flaky: EventStore = {
      ...store,
      subscribe(options) {
        failures -= 1;
        if (failures >= 0) throw new StoreUnavailable('gone for a moment');
        return store.subscribe(options);
      },
    };
    const position = await setCounter(store, 'a', 1);
    const follower = started(counters(), { store: flaky });
    await follower.passed(position);
    expect(await counted('a')).to.equal(1);
    expect(failures).to.be.lessThan(0);
  });

  it('takes the end of a subscription for a failure, not for the end of history', async () => {
    let endings = 2;
    const ending: EventStore = {
      ...store,
      async *subscribe(options) {
        for await (const batch of store.subscribe(options)) {
          yield batch;
          endings -= 1;
          if (endings >= 0) return;
        }
      },
    };
    const follower = started(counters(), { store: ending });
    await follower.passed(await setCounter(store, 'a', 1));
    await follower.passed(await setCounter(store, 'a', 2));
    expect(await counted('a')).to.equal(2);
  });

  it('goes on with the build that another process has pointed queries at, and drops the old one', async () => {
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

  it('leaves alone a build that somebody is making', async () => {
    const follower = started(counters());
    await follower.passed(await setCounter(store, 'a', 1));
    const later = await readModel.open(counters(), buildName(counters(), 'zzzz'), { bulk: true });
    const { build } = await rebuild({ store, readModel, projection: counters() });
    await until(async () => (await readModel.builds(counters())).length === 2, 'the old build to go');
    expect(await readModel.builds(counters())).to.deep.equal([build, later.name]);
    await later.close();
  });

  it('shows what has been passed also right after queries were pointed elsewhere', async () => {
    const follower = started(counters(), { timings: { ...timings, pollMs: 60_000 } });
    await follower.passed(await setCounter(store, 'a', 1));
    await rebuild({ store, readModel, projection: counters() });
    expect(await counted('a')).to.equal(1);
    await follower.passed(await setCounter(store, 'a', 2));
    expect(await counted('a')).to.equal(2);
  });

  it('shows what has been passed also where queries are pointed at a build that is not as far', async () => {
    const follower = started(counters(), { timings: { ...timings, pollMs: 60_000 } });
    await follower.passed(await setCounter(store, 'a', 1));
    const behind = await readModel.open(counters(), buildName(counters(), 'zzzz'));
    await readModel.flip(counters(), behind.name);
    expect(await counted('a')).to.equal(1);
    await behind.close();
  });

  it('keeps to that while builds change all the time', async () => {
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

  it('builds a new version beside the old one', async () => {
    const old = started(counters());
    await old.passed(await setCounter(store, 'a', 1));
    const next = started(counters({ version: 2 }));
    await next.passed(await store.head());
    expect(await readModel.get(counters(), 'a')).to.deep.equal({ value: 1, version: 1 });
    expect(await readModel.get(counters({ version: 2 }), 'a')).to.deep.equal({ value: 1, version: 2 });
  });

  it('refuses to go on where the view has seen more than the store has', async () => {
    const first = started(counters());
    await first.passed(await setCounter(store, 'a', 1));
    await first.passed(await setCounter(store, 'a', 2));
    await first.stop();

    const older = openSqliteEventStore({ directory: temporaryDirectory() });
    await setCounter(older, 'a', 1);
    const second = started(counters(), { store: older });
    await until(() => second.status().error !== undefined, 'the failure');
    expect(second.status().error?.message).to.match(/is at position \d+ but the store ends at \d+: rebuild it/);
    await second.stop();
    await older.close();
  });

  it('lets those who wait go: when it is stopped, and when they give up', async () => {
    const follower = started(counters());
    const stopped = rejection(follower.passed(1_000n));
    const giveUp = new AbortController();
    const givenUp = rejection(follower.passed(1_000n, giveUp.signal));
    giveUp.abort(new Error('enough'));
    expect(await givenUp).to.have.property('message', 'enough');
    await follower.stop();
    expect(await stopped).to.be.instanceOf(StoreUnavailable);
    expect(await rejection(follower.passed(1_000n))).to.be.instanceOf(StoreUnavailable);
  });
});
