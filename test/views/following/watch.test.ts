import { expect } from 'chai';
import { watch } from '../../../src/views/following/watch.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('watching a view that another instance keeps up to date', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(async () => {
    bench = viewBench();
    await setCounter(bench.store, 'a', 1);
    await rebuild({ store: bench.store, readModel: bench.readModel, projection: counters() });
  });
  afterEach(() => bench.close());

  it('ends at once when it is stopped, however long it rests', async () => {
    const { store, readModel } = bench;
    const watched = watch({ store, readModel, projection: counters(), timings: { idleMs: 600_000 } });
    await until(() => watched.status().position !== undefined, 'the first look');
    await watched.stop();
  });

  it('joins no signals for each look: Node 20 keeps something of that for as long as the oldest of them lives', async () => {
    const { store } = bench;
    let looks = 0;
    const readModel: ReadModel = {
      ...bench.readModel,
      async live(projection) {
        looks += 1;
        return bench.readModel.live(projection);
      },
    };
    let joined = 0;
    const { any } = AbortSignal;
    AbortSignal.any = (signals) => {
      joined += 1;
      return any.call(AbortSignal, signals);
    };
    try {
      const watched = watch({ store, readModel, projection: counters(), timings: { idleMs: 1 } });
      await until(() => looks > 20, 'it to have looked again and again');
      await watched.stop();
    } finally {
      AbortSignal.any = any;
    }
    expect(joined).to.equal(0);
  });
});
