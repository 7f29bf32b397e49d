import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { buildName } from '../../../src/views/projection.js';
import { loadBuild } from '../../../src/views/rebuilding/load-build.js';
import { counters } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('loading a build', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('keeps and tells how far it is, also where no event concerns the view for long', async () => {
    const head = 200n;
    const store: EventStore = {
      ...bench.store,
      head: async () => head,
      async *subscribe() {
        for (let position = 1n; position <= head; position += 1n) {
          yield { events: [], position, caughtUp: false };
          await pause(25);
        }
      },
    };
    const build = await bench.readModel.open(counters(), buildName(counters(), 'quiet'), { bulk: true });
    for await (const { events, position } of loadBuild({ store, projection: counters(), build, signal: undefined })) {
      expect(events).to.equal(0);
      expect(position < head).to.equal(true);
      expect(await build.checkpoint()).to.deep.equal({ position });
      break;
    }
    await build.close();
  });
});
