import { expect } from 'chai';
import fc from 'fast-check';
import { uuidV5 } from '../../../src/kernel/uuid.js';
import { bucketsOf, partitionOf } from '../../../src/queue/policy/partition.js';
import { bucketOf } from '../../../src/stores/event-store/bucket.js';

const uuid = uuidV5('6f8a3f5e-1f0b-4d0c-9a39-0b7d5f0f6f2e');

describe('the partition of an organisation', () => {
  it('is one of those there are, and always the same', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 256 }),
        fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128, 256),
        (orgId, count) => {
          const partition = partitionOf(orgId, count);
          expect(partition)
            .to.be.within(0, count - 1)
            .and.satisfy(Number.isInteger);
          expect(partitionOf(orgId, count)).to.equal(partition);
        },
      ),
    );
  });

  it('is the one of its bucket, which belongs to one partition', () => {
    for (const count of [1, 2, 32, 256]) {
      const all = Array.from({ length: count }, (_, partition) => bucketsOf(new Set([partition]), count));
      expect(all.flatMap((buckets) => [...buckets]).sort((a, b) => a - b)).to.deep.equal([...Array(256).keys()]);
      expect(all[partitionOf('acme', count)]?.has(bucketOf('acme'))).to.equal(true);
    }
  });

  it('stays the same in later releases', () => {
    expect(['acme', 'globex', 'initech', 'Ünïcøde', '17'].map((orgId) => partitionOf(orgId, 32))).to.deep.equal([
      2, 3, 26, 24, 4,
    ]);
  });

  for (const [what, name] of [
    ['numbers', (at: number) => `${at}`],
    ['UUIDs', (at: number) => uuid(`${at}`)],
    ['names that differ at the end', (at: number) => `organisation-of-customer-${at}`],
  ] as const)
    it(`spreads organisations named by ${what} evenly`, () => {
      const organisations = 32_000;
      const sizes = Array.from({ length: 32 }, () => 0);
      for (let at = 0; at < organisations; at += 1) {
        const partition = partitionOf(name(at), 32);
        sizes[partition] = (sizes[partition] ?? 0) + 1;
      }
      // By chance alone, a partition of 1,000 has less than 840 or more than 1,160 once in a million times.
      expect(Math.min(...sizes)).to.be.at.least(840);
      expect(Math.max(...sizes)).to.be.at.most(1_160);
    });
});
