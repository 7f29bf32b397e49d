import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/deliveries/queue/delivery-queue.js';
import { UnderWay } from '../../../src/deliveries/worker/under-way.js';

const delivery = (id: string, { listenerId = 'hook', orgId = 'org', lease = '1' } = {}): LeasedDelivery => ({
  ...{ id, listenerId, orgId, lease, webhookId: id, eventId: id, eventType: 'flow.done', body: '{}' },
  ...{ hookUrl: 'https://example.com/', keyGeneration: 'g1', secretVersion: 1, ordered: false },
  ...{ attempt: 1, enqueuedAt: 0, recordedAt: undefined },
});

describe('what a worker has under way', () => {
  it('counts by hook, and its slots by organisation', () => {
    const underWay = new UnderWay(10);
    underWay.begin(delivery('1'), 100, 0);
    underWay.begin(delivery('2', { listenerId: 'other' }), 100, 0);
    expect([underWay.size, underWay.slots, underWay.countOf('hook')]).to.deep.equal([2, 2, 1]);
    expect(underWay.slotsOf.get('org')).to.equal(2);
    underWay.end(delivery('1'));
    underWay.end(delivery('2', { listenerId: 'other' }));
    expect([underWay.size, underWay.slots, underWay.countOf('hook'), underWay.slotsOf.size]).to.deep.equal([
      0, 0, 0, 0,
    ]);
  });

  it('has what was leased again under way once, under the new lease', () => {
    const underWay = new UnderWay(10);
    const held = underWay.begin(delivery('1'), 100, 0);
    expect(underWay.begin(delivery('1', { lease: '2' }), 200, 50)).to.equal(undefined);
    expect(held).to.deep.equal({ lease: '2', leasedUntil: 200 });
    expect(underWay.size).to.equal(1);
  });

  it('takes their slots from those that began too long ago, and still counts them for their hook', () => {
    const underWay = new UnderWay(10);
    underWay.begin(delivery('old'), 100, 0);
    underWay.begin(delivery('new'), 100, 30);
    expect([underWay.takeSlots(20), underWay.takeSlots(20)]).to.deep.equal([1, 0]);
    expect([underWay.size, underWay.slots, underWay.countOf('hook'), underWay.slotsOf.get('org')]).to.deep.equal([
      ...[2, 1, 2, 1],
    ]);
    underWay.end(delivery('old'));
    expect([underWay.size, underWay.slots, underWay.slotsOf.get('org')]).to.deep.equal([1, 1, 1]);
  });

  it('has room for so many slow ones, and begins no more for their hooks while it is full', () => {
    const underWay = new UnderWay(1);
    underWay.begin(delivery('1', { listenerId: 'slow' }), 100, 0);
    underWay.begin(delivery('2', { listenerId: 'slow too' }), 100, 0);
    underWay.begin(delivery('3', { listenerId: 'quick' }), 100, 50);
    expect(underWay.tooSlow()).to.deep.equal([]);
    expect(underWay.takeSlots(20)).to.equal(1);
    expect(underWay.slots).to.equal(2);
    expect(underWay.tooSlow()).to.deep.equal(['slow']);
    expect(Object.fromEntries(underWay.ofHook)).to.deep.equal({ slow: 1, 'slow too': 1, quick: 1 });
    underWay.end(delivery('1', { listenerId: 'slow' }));
    expect(underWay.takeSlots(20)).to.equal(1);
  });
});
