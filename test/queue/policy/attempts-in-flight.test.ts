import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { AttemptsInFlight } from '../../../src/queue/policy/fair-sharing.js';
import { plainSubscription, secretOf } from '../../listeners/fixtures.js';

const delivery = (id: string, { listenerId = 'listener', orgId = 'org' } = {}): LeasedDelivery => ({
  id,
  listenerId,
  orgId,
  asRead: '0.0',
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
    const ends = [underWay.begin(delivery('1'), 0), underWay.begin(delivery('2', { listenerId: 'other' }), 0)];
    expect([underWay.size, underWay.slotsInUse, underWay.byListener.get('listener') ?? 0]).to.deep.equal([2, 2, 1]);
    expect(underWay.slotsByOrganisation.get('org')).to.equal(2);
    for (const end of ends) end();
    expect([
      underWay.size,
      underWay.slotsInUse,
      underWay.byListener.get('listener') ?? 0,
      underWay.slotsByOrganisation.size,
    ]).to.deep.equal([0, 0, 0, 0]);
  });

  it('counts each attempt at one delivery, as after its partition was lost and held again, and ends each once', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 10, perHost: 10 });
    const endFirst = underWay.begin(delivery('1'), 0);
    underWay.releaseSlowSlots(1);
    const endSecond = underWay.begin(delivery('1'), 20);
    expect([underWay.size, underWay.slotsInUse, underWay.byListener.get('listener')]).to.deep.equal([2, 1, 2]);
    for (const end of [endFirst, endFirst, endSecond]) end();
    const { byHost, byOrganisation } = underWay.connections;
    const maps = [underWay.byListener, underWay.slotsByOrganisation, byHost, byOrganisation];
    expect([underWay.size, underWay.slotsInUse, ...maps.map(({ size }) => size)]).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  it('takes their slots from those that began too long ago, and still counts them for their listener', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 10, perHost: 10 });
    const endOld = underWay.begin(delivery('old'), 0);
    underWay.begin(delivery('new'), 30);
    expect([underWay.releaseSlowSlots(20), underWay.releaseSlowSlots(20)]).to.deep.equal([1, 0]);
    expect([
      underWay.size,
      underWay.slotsInUse,
      underWay.byListener.get('listener') ?? 0,
      underWay.slotsByOrganisation.get('org'),
    ]).to.deep.equal([...[2, 1, 2, 1]]);
    endOld();
    expect([underWay.size, underWay.slotsInUse, underWay.slotsByOrganisation.get('org')]).to.deep.equal([1, 1, 1]);
  });

  it('limits the slow ones, and names their listeners while the limit is reached', () => {
    const underWay = new AttemptsInFlight({ maxSlow: 1, perHost: 10 });
    const endFirst = underWay.begin(delivery('1', { listenerId: 'slow' }), 0);
    underWay.begin(delivery('2', { listenerId: 'slow too' }), 0);
    underWay.begin(delivery('3', { listenerId: 'quick' }), 50);
    expect(underWay.listenersAtSlowLimit()).to.deep.equal([]);
    expect(underWay.releaseSlowSlots(20)).to.equal(1);
    expect(underWay.slotsInUse).to.equal(2);
    expect(underWay.listenersAtSlowLimit()).to.deep.equal(['slow']);
    expect(Object.fromEntries(underWay.byListener)).to.deep.equal({ slow: 1, 'slow too': 1, quick: 1 });
    endFirst();
    expect(underWay.releaseSlowSlots(20)).to.equal(1);
  });
});
