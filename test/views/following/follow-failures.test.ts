import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { CounterSet, counterSet, counters, setCounter } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('following a projection through failures', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('stops right before an event that fails, says where and why once, and goes on when it no longer does', async () => {
    const { store, logged, started, counted } = bench;
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
    expect(logged.map(({ msg }) => msg)).to.include('the view has recovered');
  });

  it('stops at an event of a type it knows that holds something else', async () => {
    const { store, started } = bench;
    const follower = started(counters());
    await store.append('counter-1', [{ id: crypto.randomUUID(), type: 'CounterSet', data: { name: 7 }, metadata: {} }]);
    await until(() => follower.status().error !== undefined, 'the failure');
    expect(follower.status().error?.message).to.match(
      /failed at position \d+: CounterSet at revision 0 .* cannot be decoded/,
    );
  });

  it('stops at an event of a later schema version, and goes on with a release that knows it', async () => {
    const { store, started, counted } = bench;
    const old = started(counters());
    const future = { ...counterSet('a', 1), metadata: { schemaVersion: 2 } };
    const { position } = await store.append('counter-1', [future]);
    await until(() => old.status().error !== undefined, 'the failure');
    expect(old.status().error?.message).to.match(/version 2 is not known/);
    expect(await counted('a')).to.equal(undefined);
    await old.stop();

    const newer = started({ ...counters(), events: [{ ...CounterSet, version: 2 }] });
    await newer.passed(position);
    expect(await counted('a')).to.equal(1);
  });

  it('fails alone: another view continues', async () => {
    const { store, started, counted } = bench;
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
    const { store, started, counted } = bench;
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
    const { store, started, counted } = bench;
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

  it('refuses to go on where the view has seen more than the store has', async () => {
    const { store, started } = bench;
    const first = started(counters());
    await first.passed(await setCounter(store, 'a', 1));
    await first.passed(await setCounter(store, 'a', 2));
    await first.stop();

    const older = openSqliteEventStore({ directory: temporaryDirectory() });
    await setCounter(older, 'a', 1);
    const second = started(counters(), { store: older });
    await until(() => second.status().error !== undefined, 'the failure');
    expect(second.status().error?.message).to.match(
      /position \d+ of .* is after the end of the events, \d+: rebuild it/,
    );
    await second.stop();
    await older.close();
  });
});
