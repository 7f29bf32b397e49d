import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Limiter, limiter } from '../../../src/http/limits/limiter.js';
import type { RateCounts } from '../../../src/stores/rate-counts/rate-counts.js';
import { until } from '../../support/until.js';

const minute = 60_000;
const maxKeys = 50_000;

/** Counts of several instances in one window, and what was added. */
function sharedCounts() {
  const counts = new Map<string, number>();
  const added: number[] = [];
  let error: Error | undefined;
  const store: RateCounts = {
    async add({ name, windowMs }, key, points) {
      if (error) throw error;
      added.push(points);
      const count = (counts.get(`${name} ${key}`) ?? 0) + points;
      counts.set(`${name} ${key}`, count);
      return { count, resetMs: windowMs };
    },
  };
  return {
    store,
    counts,
    added,
    fail: (with_: Error | undefined) => {
      error = with_;
    },
  };
}

describe('a rate limit', () => {
  const opened: Limiter[] = [];
  const open = (...args: Parameters<typeof limiter>): Limiter => {
    const created = limiter(...args);
    opened.push(created);
    return created;
  };
  afterEach(() => {
    for (const { stop } of opened.splice(0)) stop();
  });

  /** The number of `uses` that do not exceed the limit. */
  async function allowed(limit: Limiter, key: string, uses: number): Promise<number> {
    let count = 0;
    for (let use = 0; use < uses; use += 1) if (!limit.count(key).isExceeded) count += 1;
    return count;
  }

  it('allows its number of uses in a window, for each key', async () => {
    const limit = open('events', { count: 3, windowMs: minute });
    expect(await allowed(limit, 'acme', 5)).to.equal(3);
    expect(await allowed(limit, 'other', 5)).to.equal(3);
    expect(limit.count('acme').resetMs).to.be.within(minute - 10_000, minute);
  });

  it('allows them again in the next window', async () => {
    const limit = open('events', { count: 2, windowMs: 100 });
    expect(await allowed(limit, 'acme', 3)).to.equal(2);
    await pause(120);
    expect(await allowed(limit, 'acme', 3)).to.equal(2);
  });

  it('can be asked without counting', async () => {
    const limit = open('failures', { count: 1, windowMs: minute });
    expect(limit.usage('a')).to.deep.equal({ isExhausted: false, isExceeded: false, resetMs: 0 });
    limit.count('a');
    expect(limit.usage('a')).to.include({ isExhausted: true, isExceeded: false });
    limit.count('a');
    expect(limit.usage('a')).to.include({ isExhausted: true, isExceeded: true });
  });

  it('remembers a bounded number of keys, those that were used last', async () => {
    const limit = open('failures', { count: 1, windowMs: minute });
    limit.count('quiet');
    limit.count('busy');
    for (let key = 0; key < maxKeys; key += 1) {
      limit.count(`address ${key}`);
      if (key % 1_000 === 0) limit.count('busy');
    }
    expect(limit.usage('busy')).to.include({ isExhausted: true });
    expect(limit.usage('quiet')).to.include({ isExhausted: false });
  });

  describe('of several instances', () => {
    const failures: unknown[] = [];
    beforeEach(() => void failures.splice(0));
    const sharing = (counts: RateCounts) => ({
      counts,
      onFailure: (error: unknown) => failures.push(error) && 0,
      onSuccess: () => undefined,
    });

    it('is one limit', async () => {
      const { store } = sharedCounts();
      const [one, other] = [0, 1].map(() => open('events', { count: 20, windowMs: minute }, sharing(store)));
      if (!one || !other) throw new Error('there are two');
      expect(await allowed(one, 'acme', 15)).to.equal(15);
      other.count('acme');
      other.count('acme'); // a tenth of the limit
      await until(async () => {
        await pause(250);
        return (await allowed(other, 'acme', 1)) === 0;
      }, 'the other instance to know');
      one.count('acme');
      await until(() => one.usage('acme').isExhausted, 'the first one to know');
      expect(one.usage('other').isExhausted).to.equal(false);
    });

    it('costs the store nothing while it is far away, and adds up all uses once it is near', async () => {
      const { store, counts, added } = sharedCounts();
      const limit = open('events', { count: 100, windowMs: minute }, sharing(store));
      await allowed(limit, 'acme', 9);
      await pause(300);
      expect(added).to.deep.equal([]);
      await allowed(limit, 'acme', 1);
      await until(() => counts.get('events acme') === 10, 'the shared count');
      await allowed(limit, 'acme', 30);
      await until(() => counts.get('events acme') === 40, 'the next shared count');
      expect(added).to.deep.equal([10, 30]);
    });

    it('continues with the counts of each instance while the store fails, and shares them afterwards', async () => {
      const { store, counts, fail } = sharedCounts();
      fail(new Error('the store is down'));
      const limit = open('events', { count: 5, windowMs: minute }, sharing(store));
      expect(await allowed(limit, 'acme', 7)).to.equal(5);
      await until(() => failures.length > 1, 'failures');
      fail(undefined);
      await until(() => counts.get('events acme') === 7, 'the shared count');
    });

    it('keeps no request waiting for a store that answers nothing', async () => {
      const limit = open(
        'events',
        { count: 5, windowMs: minute },
        sharing({ add: () => new Promise(() => undefined) }),
      );
      expect(await allowed(limit, 'acme', 3)).to.equal(3);
      await pause(250); // an exchange is in progress
      expect(await allowed(limit, 'acme', 3)).to.equal(2);
    });
  });
});
