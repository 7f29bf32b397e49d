import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { withFirstAttempts } from '../../src/queue/first-attempts.js';
import type { Enqueued, LeasedBatch, Recorded } from '../../src/queue/leasing.js';
import type { FirstDelivery, StoredQueue } from '../../src/queue/stored-queue.js';
import { leaseRequest, queuedListener } from '../support/deliveries/delivery-batches.js';
import { eventFor } from '../support/deliveries/first-attempts.js';

const listener = queuedListener({ listenerId: 'one' });
const now = 1_000;

/** A store in which no row is due, with one listener that is ready, until its gate is read. */
function storeWhoseGate(read: () => Promise<{ closed: ReadonlySet<string>; seenAt: number }>) {
  const written: Pick<FirstDelivery, 'isUnderWay' | 'delivery'>[] = [];
  const { listenerId, orgId, hookUrl, subscription, secret } = listener;
  const facts = {
    listeners: new Map([[listenerId, { listenerId, orgId, hookUrl, subscription, secret, isReady: true }]]),
    known: new Set<string>(),
    firstDue: Number.POSITIVE_INFINITY,
    seenAt: 0,
  };
  const used: Partial<StoredQueue> = {
    facts: async () => facts,
    enqueue: async (): Promise<Enqueued> => ({ added: 0 }),
    lease: async (): Promise<LeasedBatch> => ({ deliveries: [], nextDueAt: undefined }),
    record: async (): Promise<Recorded> => ({ counted: 0, troubled: [] }),
    restrained: read,
    async write(first) {
      written.push(...first.map(({ delivery, isUnderWay }) => ({ delivery, isUnderWay })));
    },
    keep: async () => undefined,
    positions: async () => new Map(),
    changedOutside: () => false,
    close: async () => undefined,
    counts: async () => ({ states: {} }) as never, // a read of rows: all is written before
  };
  return { store: used as StoredQueue, written };
}

describe('a first attempt from memory', () => {
  it('is made of a delivery under way whose row was written while the gate of its listener was read', async () => {
    for (const closed of [new Set<string>(), new Set([listener.listenerId])]) {
      let answer = (): void => undefined;
      const { store, written } = storeWhoseGate(async () => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return { closed, seenAt: 0 };
      });
      const queue = withFirstAttempts(store);
      await queue.enqueue(eventFor([listener], 'event'), { now, queueNow: now });
      await queue.lease(leaseRequest({ limit: 0, now })); // uses up what the enqueue has read
      const leasing = queue.lease(leaseRequest({ now }));
      await nextTurn(); // the lease waits for the gate alone
      await queue.counts(now);
      answer();
      const { deliveries } = await leasing;
      await queue.close();
      const attempted = deliveries.map(({ id }) => id);
      const underWay = written.flatMap(({ delivery, isUnderWay }) => (isUnderWay ? [delivery.id] : []));
      expect(written.map(({ delivery }) => delivery.id)).to.deep.equal(['event-0/one']);
      expect(underWay.filter((id) => !attempted.includes(id))).to.deep.equal([]);
      expect(attempted.filter((id) => !underWay.includes(id))).to.deep.equal([]);
    }
  });
});
