import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { storeReading } from '../../../src/service/metrics/metrics.js';

describe('reading a store for metrics', () => {
  let reads = 0;
  let failures = 0;

  beforeEach(() => {
    reads = 0;
    failures = 0;
  });

  const reading = (read: () => Promise<number>, timings: { freshMs?: number; timeoutMs?: number } = {}) =>
    storeReading(
      () => {
        reads += 1;
        return read();
      },
      () => {
        failures += 1;
      },
      timings,
    );

  it('reads once for all gauges of a scrape, and for concurrent scrapes', async () => {
    const read = reading(async () => 7);
    expect(await Promise.all([read(), read(), read()])).to.eql([7, 7, 7]);
    expect(await read()).to.equal(7);
    expect(reads).to.equal(1);
  });

  it('reads again once the last value is old', async () => {
    const read = reading(async () => reads, { freshMs: 5 });
    expect(await read()).to.equal(1);
    await pause(10);
    expect(await read()).to.equal(2);
  });

  it('has no value and counts a failure if the store fails', async () => {
    const read = reading(() => Promise.reject(new Error('down')));
    expect(await read()).to.equal(undefined);
    expect(failures).to.equal(1);
  });

  it('waits for a store that hangs only until the timeout', async () => {
    const read = reading(() => new Promise<number>(() => undefined), { timeoutMs: 20 });
    expect(await read()).to.equal(undefined);
    expect(failures).to.equal(1);
  });
});
