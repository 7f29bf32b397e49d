import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { storeReading } from '../../../src/service/metrics/store-reading.js';

describe('reading a store for metrics', () => {
  let asked = 0;
  let failures = 0;

  beforeEach(() => {
    asked = 0;
    failures = 0;
  });

  const reading = (read: () => Promise<number>, timings: { freshMs?: number; timeoutMs?: number } = {}) =>
    storeReading(
      () => {
        asked += 1;
        return read();
      },
      () => {
        failures += 1;
      },
      timings,
    );

  it('asks once for all gauges of a scrape, and for scrapes that come at once', async () => {
    const read = reading(async () => 7);
    expect(await Promise.all([read(), read(), read()])).to.eql([7, 7, 7]);
    expect(await read()).to.equal(7);
    expect(asked).to.equal(1);
  });

  it('asks again once what it knows is old', async () => {
    const read = reading(async () => asked, { freshMs: 5 });
    expect(await read()).to.equal(1);
    await pause(10);
    expect(await read()).to.equal(2);
  });

  it('has no value, and says so, where the store fails', async () => {
    const read = reading(() => Promise.reject(new Error('down')));
    expect(await read()).to.equal(undefined);
    expect(failures).to.equal(1);
  });

  it('waits for a store that hangs no longer than it may', async () => {
    const read = reading(() => new Promise<number>(() => undefined), { timeoutMs: 20 });
    expect(await read()).to.equal(undefined);
    expect(failures).to.equal(1);
  });
});
