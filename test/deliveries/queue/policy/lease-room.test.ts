import { expect } from 'chai';
import fc from 'fast-check';
import type { HookAtHost } from '../../../../src/deliveries/queue/leasing.js';
import { LeaseRoom } from '../../../../src/deliveries/queue/policy/lease-room.js';

const usual = { total: 128, perListener: 32, perOrganisation: 64 };
const hookUrl = 'https://hooks.example.com/';

describe('the room of a lease request', () => {
  /** Slots that are taken one after another, in turn, by hooks that always want more, until none may have another. */
  function filledBy(hooks: readonly HookAtHost[], { total, ...limits } = usual) {
    const room = new LeaseRoom({ limit: total, inFlightByHook: new Map(), ...limits });
    const has = new Map(hooks.map(({ listenerId }) => [listenerId, 0]));
    for (let taken = true; taken; ) {
      taken = false;
      for (const hook of hooks) {
        if (room.shareOf(hook) === 0) continue;
        room.take(hook, 1);
        has.set(hook.listenerId, (has.get(hook.listenerId) ?? 0) + 1);
        taken = true;
      }
    }
    return { room, has: (listenerId: string) => has.get(listenerId) ?? 0 };
  }

  const hook = (listenerId: string, orgId = 'acme'): HookAtHost => ({ listenerId, orgId, hookUrl });
  const newcomer = hook('new', 'new');

  it('is a quarter for one hook that is alone, and half for the hooks of one organisation', () => {
    expect(filledBy([hook('1')]).has('1')).to.equal(32);
    const many = Array.from({ length: 200 }, (_, index) => hook(String(index)));
    expect(filledBy(many).room.left).to.equal(64);
  });

  it('is all at once for a hook that may have all', () => {
    const limits = { total: 10, perListener: 10, perOrganisation: 10 };
    expect(filledBy([hook('1')], limits).room.left).to.equal(0);
    expect(new LeaseRoom({ limit: 10, inFlightByHook: new Map(), perListener: 10 }).shareOf(hook('1'))).to.equal(10);
  });

  const hooksOf = (orgId: string, count: number) =>
    Array.from({ length: count }, (_, index) => hook(`${orgId}/${index}`, orgId));

  it('leaves something for the next organisation, however many have all of their share', () => {
    const organisations = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(organisations, (counts) => {
        const { room } = filledBy(counts.flatMap((count, index) => hooksOf(`org-${index}`, count)));
        expect(room.shareOf(newcomer)).to.be.at.least(1);
      }),
    );
  });

  it('leaves something for the next hook of an organisation, however many of it have all of their share', () => {
    for (let count = 1; count <= 6; count += 1) {
      const { room } = filledBy(hooksOf('acme', count));
      expect(room.shareOf(hook('new')), `${count} hooks`).to.be.at.least(1);
    }
  });

  it('counts what is under way, and gives those who have much nothing of what becomes free', () => {
    const underWay = new Map([...'abcd'].map((listenerId) => [listenerId, 32]));
    const inFlightByOrganisation = new Map([
      ['first', 64],
      ['second', 63],
    ]);
    const room = new LeaseRoom({ ...usual, limit: 1, inFlightByHook: underWay, inFlightByOrganisation });
    expect(room.shareOf(hook('c', 'second'))).to.equal(0);
    expect(room.shareOf(newcomer)).to.equal(1);
    expect(room.busyListeners()).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(room.fullOrganisations()).to.deep.equal(['first', 'second']);
  });

  it('is no more of a hook than is asked for', () => {
    const hookLimits = new Map([
      ['none', 0],
      ['one', 1],
    ]);
    const room = new LeaseRoom({ ...usual, limit: 128, inFlightByHook: new Map([['one', 3]]), hookLimits });
    expect(['none', 'one', 'any'].map((listenerId) => room.shareOf(hook(listenerId)))).to.deep.equal([0, 1, 32]);
    room.take(hook('one'), 1);
    expect(room.shareOf(hook('one'))).to.equal(0);
    expect(room.busyListeners()).to.deep.equal(['one', 'none']);
  });
});
