import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import type { ListenerRow } from '../../../src/queue/mongodb/collections.js';
import { CalmListeners } from '../../../src/queue/mongodb/lease/calm-listeners.js';
import { type ReadRow, RowsAhead } from '../../../src/queue/mongodb/lease/rows-ahead.js';
import { RowsUnderWay } from '../../../src/queue/mongodb/lease/under-way.js';
import { leaseRequest } from '../../support/deliveries/delivery-batches.js';
import { inVirtualTime } from '../../support/virtual-time.js';

const listenerId = 'listener';
const hookUrl = 'https://hooks.example.com/1';

function rowOf(name: string, fields: Partial<LeasedDelivery> = {}): ReadRow {
  const row = { _id: name, orgId: 'acme', listenerId, attempts: 0 };
  const delivery = { id: name, orgId: 'acme', listenerId, hookUrl, recordedAt: 1, body: '{}', ...fields };
  return { row, delivery: delivery as LeasedDelivery };
}

/** Rows ahead of a healthy listener, whose delivery `current` is under way and has `rows` behind it. */
function aheadOf(rows: readonly ReadRow[], current = rowOf('current')) {
  const calm = new CalmListeners();
  const underWay = new RowsUnderWay();
  const ahead = new RowsAhead(calm, underWay);
  const read = { _id: listenerId, closed: false, hintVersion: 0 } as ListenerRow;
  calm.note([read], calm.changes);
  const put = () =>
    ahead.put({ found: { _id: listenerId, hintVersion: 0 }, read, current, rows, readAt: performance.now() });
  put();
  const succeed = (...ids: readonly string[]) => ahead.succeeded(new Set(ids));
  const lease = (fields = {}) => ahead.lease([listenerId], leaseRequest(fields)).map(({ id }) => id);
  return { ahead, calm, underWay, put, succeed, lease };
}

describe('the rows that follow the delivery of an ordered listener', () => {
  it('are leased one by one, each once the one before has succeeded', () =>
    inVirtualTime(async () => {
      const { succeed, lease, underWay } = aheadOf([rowOf('second'), rowOf('third')]);
      expect(lease()).to.deep.equal([]);
      succeed('another');
      expect(lease()).to.deep.equal([]);
      succeed('current');
      expect(lease()).to.deep.equal(['second']);
      expect(underWay.ofListener(listenerId)).to.deep.equal(['second']);
      expect(lease()).to.deep.equal([]);
      succeed('second');
      expect(lease()).to.deep.equal(['third']);
      succeed('third');
      expect(lease()).to.deep.equal([]);
    }));

  it('wait for capacity', () =>
    inVirtualTime(async () => {
      const { succeed, lease } = aheadOf([rowOf('second')]);
      succeed('current');
      expect(lease({ limit: 0 })).to.deep.equal([]);
      expect(lease({ listenerLimits: new Map([[listenerId, 0]]) })).to.deep.equal([]);
      expect(lease()).to.deep.equal(['second']);
    }));

  it('are forgotten once the listener may have changed, and stay while more deliveries begin to wait', () =>
    inVirtualTime(async () => {
      const changes: readonly (readonly [(calm: CalmListeners) => void, readonly string[]])[] = [
        [(calm) => calm.forget(listenerId), []],
        [(calm) => calm.forgetAll(), []],
        [(calm) => calm.use([{ isHeld: () => true }]), []],
        [(calm) => calm.note([{ _id: listenerId, closed: false, hintVersion: 1 } as ListenerRow], calm.changes), []],
        [(calm) => calm.hasWaiting(listenerId), ['second']],
      ];
      for (const [change, leased] of changes) {
        const { succeed, lease, calm } = aheadOf([rowOf('second')]);
        succeed('current');
        change(calm);
        expect(lease()).to.deep.equal(leased);
      }
    }));

  it('are forgotten after a second, since other processes change rows too', () =>
    inVirtualTime(async (time) => {
      const { succeed, lease } = aheadOf([rowOf('second')]);
      succeed('current');
      await time.passUntil(() => false, 1_001);
      expect(lease()).to.deep.equal([]);
    }));

  it('end before a replay or a test, of which the row alone is cancelled', () =>
    inVirtualTime(async () => {
      for (const fields of [{ replay: 'replay' }, { recordedAt: undefined }]) {
        const { succeed, lease } = aheadOf([rowOf('second'), rowOf('third', fields), rowOf('fourth')]);
        succeed('current');
        expect(lease()).to.deep.equal(['second']);
        succeed('second');
        expect(lease()).to.deep.equal([]);
      }
    }));

  it('are as many as the listener attempts in a second, at most 50, and fewer of large events', () =>
    inVirtualTime(async (time) => {
      const { ahead, put } = aheadOf([]);
      expect(new RowsAhead(new CalmListeners(), new RowsUnderWay()).limitOf(listenerId)).to.equal(0);
      expect(ahead.limitOf(listenerId)).to.equal(50);
      await time.passUntil(() => false, 100);
      expect(ahead.limitOf(listenerId)).to.equal(10);
      await time.passUntil(() => false, 1_100);
      expect(ahead.limitOf(listenerId)).to.equal(0);
      put();
      expect(ahead.limitOf(listenerId)).to.equal(50);
      const large = aheadOf([], rowOf('current', { body: 'x'.repeat(60_000) }));
      expect(large.ahead.limitOf(listenerId)).to.equal(2);
    }));
});
