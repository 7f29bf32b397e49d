import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/deliveries/queue/delivery-queue.js';
import { crowdedHosts } from '../../../src/deliveries/worker/crowded-hosts.js';
import { hostSlots, usualPerHost } from '../../../src/deliveries/worker/host-slots.js';

const to = (listenerId: string, hookUrl: string, orgId = 'acme') => ({ listenerId, hookUrl, orgId }) as LeasedDelivery;

describe('places at a host', () => {
  it('are handed on to whoever has waited longest', async () => {
    const slots = hostSlots({ perHost: 16 });
    const taken = await Promise.all(Array.from({ length: 16 }, () => slots.take('a')));
    const order: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      const release = await slots.take('a');
      order.push(name);
      release?.();
    });
    expect(slots.free('a')).to.equal(0);
    taken[0]?.();
    await Promise.all(waiting);
    expect(order).to.deep.equal(['second', 'third']);
    expect(slots.free('a')).to.equal(1);
  });

  it('are waited for by a few only: the others leave their slots to whoever can use them', async () => {
    const slots = hostSlots({ perHost: 16 });
    const [release] = await Promise.all(Array.from({ length: 16 }, () => slots.take('a')));
    const waiting = [slots.take('a'), slots.take('a')];
    expect(await slots.take('a')).to.equal(undefined);
    release?.();
    expect(await waiting[0]).to.be.a('function');
  });

  it('are those of each host alone', async () => {
    const slots = hostSlots({ perHost: 1 });
    expect(await slots.take('a')).to.be.a('function');
    expect(await slots.take('b')).to.be.a('function');
  });

  it('are waited for only so long, and at a host that is stuck not at all, unless somebody is patient', async () => {
    const slots = hostSlots({ perHost: 1, waitMs: 400 });
    const release = await slots.take('a');
    expect(await slots.take('a')).to.equal(undefined);
    const began = performance.now();
    expect(await slots.take('a')).to.equal(undefined);
    expect(performance.now() - began).to.be.lessThan(300);
    const patient = slots.take('a', true);
    release?.();
    expect(await patient).to.be.a('function');
  });

  it('count the hooks of a host together, whatever their ports, and leave no trace of one that timed out', async () => {
    const hosts = crowdedHosts(hostSlots({ perHost: 1, waitMs: 5 }));
    const release = await hosts.place(to('1', 'http://example.com:8080/a'));
    expect(await hosts.place(to('2', 'http://example.com:9090/b'))).to.equal(undefined);
    release?.();
    const other = await hosts.place(to('2', 'https://example.com/b'));
    expect(other).to.be.a('function');
    other?.();
  });

  it('leave out a hook while there is none for it', async () => {
    const hosts = crowdedHosts(hostSlots({ perHost: 1, waitMs: 5 }));
    expect([...hosts.atMost()]).to.deep.equal([]);
    const release = await hosts.place(to('1', 'https://example.com/a'));
    hosts.passOver(to('2', 'https://example.com/b'));
    expect(Object.fromEntries(hosts.atMost())).to.deep.equal({ 1: 0, 2: 0 });
    expect(hosts.isAwaited(to('1', 'https://example.com/a'))).to.equal(true);
    release?.();
    expect([...hosts.atMost()]).to.deep.equal([['2', 1]]);
    expect([...hosts.atMost()]).to.deep.equal([]);
  });

  /** So many hooks that take places, in turn, until they get no more. */
  async function filledBy(hooks: number, perHost: number) {
    const hosts = crowdedHosts(hostSlots({ perHost, waitMs: 5 }));
    const has = new Map<string, number>();
    for (let round = 0; round < perHost; round += 1) {
      for (let hook = 1; hook <= hooks; hook += 1) {
        const listenerId = String(hook);
        if (await hosts.place(to(listenerId, 'https://example.com/')))
          has.set(listenerId, (has.get(listenerId) ?? 0) + 1);
      }
    }
    return { has, placeFor: (orgId: string) => hosts.place(to('next', 'https://example.com/', orgId)) };
  }

  it('leave some for the next hook of an organisation, however many hang on to theirs', async () => {
    for (const perHost of [5, 64]) {
      for (const hooks of [1, 2, 3]) {
        const { placeFor } = await filledBy(hooks, perHost);
        expect(await placeFor('acme'), `${hooks} hooks, ${perHost} places`).to.be.a('function');
      }
    }
  });

  it('leave some for the next organisation, however many hooks of another hang on to theirs', async () => {
    for (const perHost of [2, 5, 64]) {
      for (const hooks of [1, 3, 100]) {
        const { placeFor } = await filledBy(hooks, perHost);
        expect(await placeFor('other'), `${hooks} hooks, ${perHost} places`).to.be.a('function');
      }
    }
  });

  it('are usually so many that one organisation alone has half of all slots, and one hook alone a quarter', async () => {
    const sumOf = ({ has }: { readonly has: Map<string, number> }) =>
      [...has.values()].reduce((sum, each) => sum + each, 0);
    expect(sumOf(await filledBy(1_000, usualPerHost(256)))).to.equal(128);
    expect(sumOf(await filledBy(1, usualPerHost(256)))).to.equal(64);
  });

  it('are no more to a hook than it leaves to others, and it is told how many more there are for it', async () => {
    const hosts = crowdedHosts(hostSlots({ perHost: 8, waitMs: 5 }));
    const place = (listenerId: string) => hosts.place(to(listenerId, 'https://example.com/'));
    const [first] = [await place('1')];
    expect(Object.fromEntries(hosts.atMost())).to.deep.equal({ 1: 2 });
    for (let taken = 1; taken < 3; taken += 1) expect(await place('1')).to.be.a('function');
    expect(await place('1')).to.equal(undefined);
    expect(Object.fromEntries(hosts.atMost())).to.deep.equal({ 1: 0 });
    expect(await place('2')).to.be.a('function');
    expect(Object.fromEntries(hosts.atMost())).to.deep.equal({ 1: 0, 2: 1 });
    first?.();
    expect(hosts.isAwaited(to('1', 'https://example.com/'))).to.equal(true);
    expect(hosts.isAwaited(to('1', 'https://example.org/'))).to.equal(false);
    expect(Object.fromEntries(hosts.atMost())).to.deep.equal({ 1: 1, 2: 1 });
  });

  it('are offered to as many hooks as there are, for one delivery each, to those first that have waited longest', async () => {
    const hosts = crowdedHosts(hostSlots({ perHost: 1, waitMs: 5 }));
    const release = await hosts.place(to('1', 'https://example.com/a'));
    for (const listenerId of ['2', '3']) hosts.passOver(to(listenerId, `https://example.com/${listenerId}`));
    release?.();
    expect([...hosts.atMost()]).to.deep.equal([
      ['2', 1],
      ['3', 0],
    ]);
    expect([...hosts.atMost()]).to.deep.equal([['3', 1]]);
  });
});
