import { expect } from 'chai';
import { listenerQuota } from '../../src/listeners/listener-quota.js';

describe('the quota of listeners', () => {
  const failures: unknown[] = [];
  beforeEach(() => void failures.splice(0));
  const quotaOf = (max: number | undefined, count: (atMost: number) => Promise<number>) =>
    listenerQuota(max, {
      readModel: { count: (_, __, atMost) => count(atMost) },
      onFailure: (error) => void (error !== undefined && failures.push(error)),
    });

  it('is exhausted when an organisation has as many listeners as it may have', async () => {
    expect(await quotaOf(3, async () => 2)('acme')).to.equal(undefined);
    expect(await quotaOf(3, async () => 3)('acme')).to.equal(3);
    expect(await quotaOf(3, async (atMost) => Math.min(atMost, 10))('acme')).to.equal(3);
  });

  it('is counted for each listener near the maximum, and seldom far below it', async () => {
    let counted = 0;
    let listeners = 0;
    const quota = quotaOf(100, async (atMost) => {
      counted += 1;
      return Math.min(atMost, listeners);
    });
    while ((await quota('acme')) === undefined) listeners += 1;
    expect(listeners).to.equal(100);
    expect(counted).to.be.within(20, 45);
    counted = 0;
    await quota('other');
    await quota('another');
    expect(counted, 'each organisation by itself').to.equal(2);
  });

  it('counts nothing where there is none', async () => {
    const quota = quotaOf(undefined, () => Promise.reject(new Error('nothing is to be counted')));
    expect(await quota('acme')).to.equal(undefined);
    expect(failures).to.deep.equal([]);
  });

  it('is not applied if the view cannot be read, or takes too long, which is reported', async () => {
    expect(await quotaOf(3, () => Promise.reject(new Error('it is not built')))('acme')).to.equal(undefined);
    expect(failures.join()).to.equal('Error: it is not built');
    expect(await quotaOf(3, () => new Promise(() => undefined))('acme')).to.equal(undefined);
    expect(failures).to.have.length(2);
  });
});
