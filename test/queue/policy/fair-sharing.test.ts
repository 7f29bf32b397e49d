import { expect } from 'chai';
import fc from 'fast-check';
import type { ListenerAtHost } from '../../../src/queue/leasing.js';
import { LeaseCapacity } from '../../../src/queue/policy/fair-sharing.js';

const usual = { total: 128, perListener: 32, perOrganisation: 64 };
const hookUrl = 'https://hooks.example.com/';

describe('the capacity of a lease request', () => {
  /** Slots that are taken one after another, in turn, by listeners that always want more, until none may have another. */
  function filledBy(listeners: readonly ListenerAtHost[], { total, ...limits } = usual) {
    const capacity = new LeaseCapacity({ limit: total, inFlight: { byListener: new Map() }, ...limits });
    const has = new Map(listeners.map(({ listenerId }) => [listenerId, 0]));
    for (let taken = true; taken; ) {
      taken = false;
      for (const listener of listeners) {
        if (capacity.shareOf(listener) === 0) continue;
        capacity.take(listener, 1);
        has.set(listener.listenerId, (has.get(listener.listenerId) ?? 0) + 1);
        taken = true;
      }
    }
    return { capacity, has: (listenerId: string) => has.get(listenerId) ?? 0 };
  }

  const listener = (listenerId: string, orgId = 'acme'): ListenerAtHost => ({ listenerId, orgId, hookUrl });
  const newcomer = listener('new', 'new');

  it('is a quarter for one listener that is alone, and half for the listeners of one organisation', () => {
    expect(filledBy([listener('1')]).has('1')).to.equal(32);
    const many = Array.from({ length: 200 }, (_, index) => listener(String(index)));
    expect(filledBy(many).capacity.left).to.equal(64);
  });

  it('is all at once for a listener that may have all', () => {
    const limits = { total: 10, perListener: 10, perOrganisation: 10 };
    expect(filledBy([listener('1')], limits).capacity.left).to.equal(0);
    expect(
      new LeaseCapacity({ limit: 10, inFlight: { byListener: new Map() }, perListener: 10 }).shareOf(listener('1')),
    ).to.equal(10);
  });

  const listenersOf = (orgId: string, count: number) =>
    Array.from({ length: count }, (_, index) => listener(`${orgId}/${index}`, orgId));

  it('leaves something for the next organisation, however many have all of their share', () => {
    const organisations = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(organisations, (counts) => {
        const { capacity } = filledBy(counts.flatMap((count, index) => listenersOf(`org-${index}`, count)));
        expect(capacity.shareOf(newcomer)).to.be.at.least(1);
      }),
    );
  });

  it('leaves something for the next listener of an organisation, however many of it have all of their share', () => {
    for (let count = 1; count <= 6; count += 1) {
      const { capacity } = filledBy(listenersOf('acme', count));
      expect(capacity.shareOf(listener('new')), `${count} listeners`).to.be.at.least(1);
    }
  });

  it('counts slots in use, and gives none of the freed ones to those with many', () => {
    const byListener = new Map([...'abcd'].map((listenerId) => [listenerId, 32]));
    const byOrganisation = new Map([
      ['first', 64],
      ['second', 63],
    ]);
    const capacity = new LeaseCapacity({ ...usual, limit: 1, inFlight: { byListener, byOrganisation } });
    expect(capacity.shareOf(listener('c', 'second'))).to.equal(0);
    expect(capacity.shareOf(newcomer)).to.equal(1);
    expect(capacity.busyListeners()).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(capacity.fullOrganisations()).to.deep.equal(['first', 'second']);
  });

  it('is no more of a listener than requested', () => {
    const listenerLimits = new Map([
      ['none', 0],
      ['one', 1],
    ]);
    const capacity = new LeaseCapacity({
      ...usual,
      limit: 128,
      inFlight: { byListener: new Map([['one', 3]]) },
      listenerLimits,
    });
    expect(['none', 'one', 'any'].map((listenerId) => capacity.shareOf(listener(listenerId)))).to.deep.equal([
      0, 1, 32,
    ]);
    capacity.take(listener('one'), 1);
    expect(capacity.shareOf(listener('one'))).to.equal(0);
    expect(capacity.busyListeners()).to.deep.equal(['one', 'none']);
  });
});
