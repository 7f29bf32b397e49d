import { expect } from 'chai';
import { defaultMaxConnections, descriptors } from '../../src/service/descriptors.js';

describe('the number of incoming connections', () => {
  const max = (limit: number, { open = 90, concurrency = 256, stores = 'embedded' as 'embedded' | 'servers' } = {}) =>
    defaultMaxConnections({ limit, open }, { concurrency, stores });

  it('leaves descriptors for files and for as many deliveries as may be in flight', () => {
    expect(max(20_000)).to.equal(20_000 - 90 - 16 - 5 * 256);
    expect(max(20_000, { stores: 'servers' })).to.equal(20_000 - 90 - 256 - 5 * 256);
  });

  it('is half of the descriptors that files leave if there are few', () => {
    expect(max(1_024)).to.equal(459);
    expect(max(1_024, { concurrency: 10 })).to.equal(1_024 - 90 - 16 - 50);
  });

  it('is never less than a few, with which operators reach the service', () => {
    expect(max(100)).to.equal(4);
    expect(max(50)).to.equal(4);
  });

  it('goes by the limit of this process, where the system tells it', () => {
    const known = descriptors();
    if (process.platform !== 'linux') expect(known).to.equal(undefined);
    else expect(known?.limit).to.be.greaterThan(known?.open ?? Number.POSITIVE_INFINITY);
  });
});
