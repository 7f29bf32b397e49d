import { expect } from 'chai';
import type { LeasedDelivery } from '../../../../src/deliveries/queue/leasing.js';
import { AttemptsInFlight } from '../../../../src/deliveries/queue/policy/fair-sharing.js';
import { plainSubscription, secretOf } from '../../../listeners/fixtures.js';

const delivery = (id: string, { listenerId = 'listener', orgId = 'org', lease = '1' } = {}): LeasedDelivery => ({
  id,
  listenerId,
  orgId,
  lease,
  webhookId: id,
  eventId: id,
  eventType: 'flow.done',
  body: '{}',
  hookUrl: 'https://example.com/',
  subscription: plainSubscription,
  secret: secretOf(1),
  attempt: 1,
  enqueuedAt: 0,
  recordedAt: undefined,
});

describe('the attempts that a worker has in flight', () => {
  it('counts by listener, and its slots by organisation', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 10, perHost: 10 });
    underWay.begin(delivery('1'), 0);
    underWay.begin(delivery('2', { listenerId: 'other' }), 0);
    expect([underWay.size, underWay.slotsInUse, underWay.byListener.get('listener') ?? 0]).to.deep.equal([2, 2, 1]);
    expect(underWay.slotsByOrganisation.get('org')).to.equal(2);
    underWay.end(delivery('1'));
    underWay.end(delivery('2', { listenerId: 'other' }));
    expect([
      underWay.size,
      underWay.slotsInUse,
      underWay.byListener.get('listener') ?? 0,
      underWay.slotsByOrganisation.size,
    ]).to.deep.equal([0, 0, 0, 0]);
  });

  it('takes their slots from those that began too long ago, and still counts them for their listener', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 10, perHost: 10 });
    underWay.begin(delivery('old'), 0);
    underWay.begin(delivery('new'), 30);
    expect([underWay.releaseSlowSlots(20), underWay.releaseSlowSlots(20)]).to.deep.equal([1, 0]);
    expect([
      underWay.size,
      underWay.slotsInUse,
      underWay.byListener.get('listener') ?? 0,
      underWay.slotsByOrganisation.get('org'),
    ]).to.deep.equal([...[2, 1, 2, 1]]);
    underWay.end(delivery('old'));
    expect([underWay.size, underWay.slotsInUse, underWay.slotsByOrganisation.get('org')]).to.deep.equal([1, 1, 1]);
  });

  it('limits the slow ones, and names their listeners while the limit is reached', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 1, perHost: 10 });
    underWay.begin(delivery('1', { listenerId: 'slow' }), 0);
    underWay.begin(delivery('2', { listenerId: 'slow too' }), 0);
    underWay.begin(delivery('3', { listenerId: 'quick' }), 50);
    expect(underWay.listenersAtSlowLimit()).to.deep.equal([]);
    expect(underWay.releaseSlowSlots(20)).to.equal(1);
    expect(underWay.slotsInUse).to.equal(2);
    expect(underWay.listenersAtSlowLimit()).to.deep.equal(['slow']);
    expect(Object.fromEntries(underWay.byListener)).to.deep.equal({ slow: 1, 'slow too': 1, quick: 1 });
    underWay.end(delivery('1', { listenerId: 'slow' }));
    expect(underWay.releaseSlowSlots(20)).to.equal(1);
  });
});
