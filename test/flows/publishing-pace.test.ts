import { expect } from 'chai';
import { publishingPace } from '../../src/flows/publishing-pace.js';

describe('the pace of publishing', () => {
  let load: number;
  let clock: number;
  let waited: number[];
  let pace: ReturnType<typeof publishingPace>;

  beforeEach(() => {
    load = 0;
    clock = 0;
    waited = [];
    pace = publishingPace(() => load, {
      now: () => clock,
      wait: async (ms) => {
        waited.push(ms);
      },
    });
  });

  /** Publishes once every 20 ms, so often. */
  async function publish(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      clock += 20;
      await pace();
    }
  }

  it('holds nobody back while the dispatcher has time left', async () => {
    load = 0.9;
    await publish(50);
    expect(waited).to.deep.equal([]);
  });

  it('holds publishers back more and more while it has none, and never for longer than a tenth of a second', async () => {
    load = 1;
    await publish(200);
    expect(waited.slice(0, 3)).to.deep.equal([2, 4, 6]);
    expect(Math.max(...waited)).to.equal(100);
  });

  it('lets go soon after', async () => {
    load = 1;
    await publish(10);
    load = 0.5;
    await publish(15);
    const before = waited.length;
    await publish(50);
    expect(waited).to.have.length(before);
  });

  it('judges a burst by what came before it, and not each of its events anew', async () => {
    load = 1;
    await publish(1);
    for (let event = 0; event < 100; event += 1) await pace();
    expect(new Set(waited)).to.deep.equal(new Set([2]));
  });
});
