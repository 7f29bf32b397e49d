import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { applyEvents } from '../../../src/views/following/apply-events.js';
import type { BuildName } from '../../../src/views/projection.js';
import type { Build, ReadModel } from '../../../src/views/read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { counters } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('applying events to a build', () => {
  let bench: ReturnType<typeof viewBench>;
  let build: BuildName;

  beforeEach(async () => {
    bench = viewBench();
    const { store, readModel } = bench;
    ({ build } = await rebuild({ store, readModel, projection: counters() }));
  });
  afterEach(() => bench.close());

  /** Moves past events that do not concern the view, and loses the subscription as soon as the checkpoint is being kept. */
  async function lostWhileKeeping(keep: Build['apply']): Promise<void> {
    let keeping = false;
    const store: EventStore = {
      ...bench.store,
      async *subscribe() {
        yield { events: [], position: 1n, caughtUp: false };
        await until(() => keeping, 'the checkpoint');
        throw new StoreUnavailable('gone');
      },
    };
    const readModel: ReadModel = {
      ...bench.readModel,
      async open(...args) {
        const opened = await bench.readModel.open(...args);
        const apply: Build['apply'] = (...batch) => {
          keeping = true;
          return keep(...batch);
        };
        return { ...opened, apply };
      },
    };
    const { signal } = new AbortController();
    const settings = { lease: undefined, signal, quietMs: 500, progress: () => undefined };
    const lost = await rejection(applyEvents({ store, readModel, projection: counters(), build, ...settings }));
    expect(lost).to.have.property('message', 'gone');
  }

  it('tries to keep its checkpoint no more once it has ended', async () => {
    let tries = 0;
    let fail = (): void => undefined;
    await lostWhileKeeping(() => {
      tries += 1;
      return new Promise((_, reject) => {
        fail = () => reject(new StoreUnavailable('gone too'));
      });
    });
    fail();
    await lostWhileKeeping(async () => undefined); // another try would have come before this one's first
    expect(tries).to.equal(1);
  });
});
