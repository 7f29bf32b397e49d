import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('following a projection', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('shows each event to queries once its position has been passed', async () => {
    const { store, readModel, started, counted } = bench;
    const follower = started(counters());
    for (const value of [1, 2, 3]) {
      await follower.passed(await setCounter(store, 'a', value));
      expect(await counted('a')).to.equal(value);
    }
    expect(follower.status()).to.deep.include({
      name: 'counters',
      build: await readModel.live(counters()),
      position: await store.head(),
      caughtUp: true,
    });
  });

  it('builds the view from all of history where there is none', async () => {
    const { store, started, counted } = bench;
    for (const value of [1, 2, 3]) await setCounter(store, 'a', value);
    const follower = started(counters());
    await follower.passed(await store.head());
    expect(await counted('a')).to.equal(3);
  });

  it('passes events that do not concern it, and types that it does not know', async () => {
    const { store, readModel, started } = bench;
    const follower = started(counters());
    await store.append('other-1', [{ id: crypto.randomUUID(), type: 'CounterSet', data: {}, metadata: {} }]);
    const strange = { id: crypto.randomUUID(), type: 'CounterPainted', data: {}, metadata: {} };
    const { position } = await store.append('counter-1', [strange]);
    await follower.passed(position);
    expect(await readModel.find(counters(), { where: {} })).to.deep.equal([]);
  });

  it('keeps its checkpoint while nothing concerns it, and when it stops', async () => {
    const { store, readModel, started } = bench;
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

  it('keeps its checkpoint after events that do not concern it', async () => {
    const { store, readModel, started } = bench;
    const follower = started(counters());
    await follower.passed(await setCounter(store, 'a', 1));
    const other = { id: crypto.randomUUID(), type: 'Other', data: {}, metadata: {} };
    const { position } = await store.append('other-1', [other]);
    await until(async () => (await readModel.position(counters())) === position, 'the checkpoint of a quiet view');
  });

  it('continues after a restart, and handles nothing twice', async () => {
    const { store, started, counted } = bench;
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
    const { directory, store, readModel, started, counted } = bench;
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

  it('lets those who wait go: when it is stopped, and when they give up', async () => {
    const { started } = bench;
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
