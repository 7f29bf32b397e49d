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

  /** Publishes this number of times, once every 20 ms. */
  async function publish(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      clock += 20;
      await pace();
    }
  }

  it('does not throttle publishers while the dispatcher is not overloaded', async () => {
    load = 0.9;
    await publish(50);
    expect(waited).to.deep.equal([]);
  });

  it('increases the wait during an overload, up to 100 ms', async () => {
    load = 1;
    await publish(200);
    expect(waited.slice(0, 3)).to.deep.equal([2, 4, 6]);
    expect(Math.max(...waited)).to.equal(100);
  });

  it('makes batches wait for a tenth of what their events would wait one by one', async () => {
    load = 1;
    await publish(1);
    for (const events of [2, 10, 100, 1_000]) await pace(events);
    expect(waited).to.deep.equal([2, 2, 2, 20, 200]);
  });

  it('stops throttling soon after the overload', async () => {
    load = 1;
    await publish(10);
    load = 0.5;
    await publish(15);
    const before = waited.length;
    await publish(50);
    expect(waited).to.have.length(before);
  });

  it('measures the load once for a burst, not for each of its events', async () => {
    load = 1;
    await publish(1);
    for (let event = 0; event < 100; event += 1) await pace();
    expect(new Set(waited)).to.deep.equal(new Set([2]));
  });
});
