import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { LeasedDelivery } from '../../../src/deliveries/queue/leasing.js';
import { HostCapacity } from '../../../src/deliveries/queue/policy/host-capacity.js';
import { defaultPerHost, hostSemaphore } from '../../../src/deliveries/worker/host-semaphore.js';
import { saturatedHosts } from '../../../src/deliveries/worker/saturated-hosts.js';

const to = (listenerId: string, hookUrl: string, orgId = 'acme') => ({ listenerId, hookUrl, orgId }) as LeasedDelivery;

describe('places at a host', () => {
  it('are handed to the longest waiting request', async () => {
    const slots = hostSemaphore({ perHost: 16 });
    const taken = await Promise.all(Array.from({ length: 16 }, () => slots.acquire('a')));
    const order: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      const release = await slots.acquire('a');
      order.push(name);
      release?.();
    });
    expect(slots.available('a')).to.equal(0);
    taken[0]?.();
    await Promise.all(waiting);
    expect(order).to.deep.equal(['second', 'third']);
    expect(slots.available('a')).to.equal(1);
  });

  it('are waited for by a few requests only: the others release their slots', async () => {
    const slots = hostSemaphore({ perHost: 16 });
    const [release] = await Promise.all(Array.from({ length: 16 }, () => slots.acquire('a')));
    const waiting = [slots.acquire('a'), slots.acquire('a')];
    expect(await slots.acquire('a')).to.equal(undefined);
    release?.();
    expect(await waiting[0]).to.be.a('function');
  });

  it('are those of each host alone', async () => {
    const slots = hostSemaphore({ perHost: 1 });
    expect(await slots.acquire('a')).to.be.a('function');
    expect(await slots.acquire('b')).to.be.a('function');
  });

  it('are waited for up to a limit, and at a stuck host not at all, unless the request is patient', async () => {
    const slots = hostSemaphore({ perHost: 1, waitMs: 400 });
    const release = await slots.acquire('a');
    expect(await slots.acquire('a')).to.equal(undefined);
    expect(await Promise.race([slots.acquire('a'), nextTurn('later')])).to.equal(undefined);
    const patient = slots.acquire('a', true);
    release?.();
    expect(await patient).to.be.a('function');
  });

  it('count the listeners of a host together, whatever their ports, and leave no trace of one that timed out', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 1, waitMs: 5 }));
    const release = await hosts.acquire(to('1', 'http://example.com:8080/a'));
    expect(await hosts.acquire(to('2', 'http://example.com:9090/b'))).to.equal(undefined);
    release?.();
    const other = await hosts.acquire(to('2', 'https://example.com/b'));
    expect(other).to.be.a('function');
    other?.();
  });

  it('leave out a listener while there is none for it', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 1, waitMs: 5 }));
    expect([...hosts.listenerLimits()]).to.deep.equal([]);
    const release = await hosts.acquire(to('1', 'https://example.com/a'));
    hosts.skip(to('2', 'https://example.com/b'));
    expect(Object.fromEntries(hosts.listenerLimits())).to.deep.equal({ 2: 0 });
    expect(hosts.isAwaited(to('1', 'https://example.com/a'))).to.equal(true);
    release?.();
    expect([...hosts.listenerLimits()]).to.deep.equal([['2', 1]]);
    expect([...hosts.listenerLimits()]).to.deep.equal([]);
  });

  /** Lets the listeners acquire connections in turn until they get no more. */
  async function filledBy(listeners: number, perHost: number) {
    const hosts = saturatedHosts(hostSemaphore({ perHost, waitMs: 5 }));
    const has = new Map<string, number>();
    for (let round = 0; round < perHost; round += 1) {
      for (let listener = 1; listener <= listeners; listener += 1) {
        const listenerId = String(listener);
        if (await hosts.acquire(to(listenerId, 'https://example.com/')))
          has.set(listenerId, (has.get(listenerId) ?? 0) + 1);
      }
    }
    return { has, placeFor: (orgId: string) => hosts.acquire(to('next', 'https://example.com/', orgId)) };
  }

  it('leave some for the next listener of an organisation, however many hang on to theirs', async () => {
    for (const perHost of [5, 64]) {
      for (const listeners of [1, 2, 3]) {
        const { placeFor } = await filledBy(listeners, perHost);
        expect(await placeFor('acme'), `${listeners} listeners, ${perHost} places`).to.be.a('function');
      }
    }
  });

  it('leave some for the next organisation, however many listeners of another hang on to theirs', async () => {
    for (const perHost of [2, 5, 64]) {
      for (const listeners of [1, 3, 100]) {
        const { placeFor } = await filledBy(listeners, perHost);
        expect(await placeFor('other'), `${listeners} listeners, ${perHost} places`).to.be.a('function');
      }
    }
  });

  it('are by default enough for half of all slots to one organisation alone, and a quarter to one listener alone', async () => {
    const sumOf = ({ has }: { has: Map<string, number> }) => [...has.values()].reduce((sum, each) => sum + each, 0);
    expect(sumOf(await filledBy(1_000, defaultPerHost(256)))).to.equal(128);
    expect(sumOf(await filledBy(1, defaultPerHost(256)))).to.equal(64);
  });

  it('are no more to a listener than it leaves to others, and the capacity for it says how many more it may have', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 8, waitMs: 5 }));
    const place = (listenerId: string) => hosts.acquire(to(listenerId, 'https://example.com/'));
    const rooms = () => {
      const capacity = new HostCapacity(hosts.connections());
      return ['1', '2'].map((listenerId) => capacity.of(to(listenerId, 'https://example.com/'), 8));
    };
    expect(rooms()).to.deep.equal([3, 3]);
    const [first] = [await place('1')];
    expect(rooms()).to.deep.equal([2, 3]);
    for (let taken = 1; taken < 3; taken += 1) expect(await place('1')).to.be.a('function');
    expect(await place('1')).to.equal(undefined);
    expect(rooms()).to.deep.equal([0, 2]);
    expect(await place('2')).to.be.a('function');
    expect(rooms()).to.deep.equal([0, 1]);
    first?.();
    expect(rooms()).to.deep.equal([1, 1]);
  });

  it('are awaited once a lease has had no capacity for a listener, until the next lease has', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 64, waitMs: 5 }));
    const [one, other] = [to('1', 'https://example.com/'), to('1', 'https://example.org/')];
    const leaseUpTo = (most: number) => {
      const capacity = new HostCapacity(hosts.connections());
      capacity.of(one, most);
      return capacity.saturatedHosts();
    };
    expect(hosts.setSaturated(leaseUpTo(1_000))).to.equal(false);
    expect([one, other].map(hosts.isAwaited)).to.deep.equal([true, false]);
    hosts.setSaturated(leaseUpTo(1));
    expect([one, other].map(hosts.isAwaited)).to.deep.equal([false, false]);
  });

  it('report a connection that a saturated host releases while a lease is requested', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 64, waitMs: 5 }));
    const [before, meanwhile] = [
      await hosts.acquire(to('1', 'https://example.com/')),
      await hosts.acquire(to('2', 'https://example.com/')),
    ];
    before?.();
    hosts.connections();
    expect(hosts.setSaturated(['example.com'])).to.equal(false);
    meanwhile?.();
    expect(hosts.setSaturated(['example.org'])).to.equal(false);
    expect(hosts.setSaturated(['example.com'])).to.equal(true);
  });

  it('suffice for all deliveries leased within the capacity, whatever is in use', async () => {
    const listener = fc.record({
      listenerId: fc.constantFrom('1', '2', '3', '4', '5', '6'),
      host: fc.constantFrom('example.com', 'example.org'),
    });
    const history = fc.array(fc.record({ listener, most: fc.integer({ min: 1, max: 20 }) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, history, fc.integer({ min: 1, max: 20 }), async (before, leases, perHost) => {
        const hosts = saturatedHosts(hostSemaphore({ perHost, waitMs: 0 }));
        const toListener = ({ listenerId, host }: { listenerId: string; host: string }) =>
          to(`${host}/${listenerId}`, `https://${host}/`, Number(listenerId) % 2 === 0 ? 'acme' : 'globex');
        for (const { listener } of before) await hosts.acquire(toListener(listener));
        const capacity = new HostCapacity(hosts.connections());
        const leased: LeasedDelivery[] = [];
        for (const { listener, most } of leases) {
          const count = capacity.of(toListener(listener), most);
          expect(count).to.be.within(0, most);
          expect(capacity.copy().of(toListener(listener), most)).to.equal(count);
          if (count > 0) capacity.take(toListener(listener), count);
          leased.push(...Array<LeasedDelivery>(count).fill(toListener(listener)));
        }
        for (const delivery of leased) expect(hosts.acquire(delivery)).to.be.a('function');
      }),
    );
  });

  it('are ignored beyond a number of listeners without capacity, each of which a lease request has to pass over', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 1, waitMs: 5 }));
    await hosts.acquire(to('first', 'https://example.com/'));
    const capacity = new HostCapacity(hosts.connections());
    const rooms = Array.from({ length: 1_002 }, (_, listener) =>
      capacity.of(to(String(listener), 'https://example.com/'), 5),
    );
    expect(rooms).to.deep.equal([...Array(1_000).fill(0), 5, 5]);
    expect(capacity.refusedListeners()).to.have.length(1_000);
    expect(capacity.of(to('0', 'https://example.com/'), 5)).to.equal(0);
  });

  it('are offered to as many listeners as there are, for one delivery each, to those first that have waited longest', async () => {
    const hosts = saturatedHosts(hostSemaphore({ perHost: 1, waitMs: 5 }));
    const release = await hosts.acquire(to('1', 'https://example.com/a'));
    for (const listenerId of ['2', '3']) hosts.skip(to(listenerId, `https://example.com/${listenerId}`));
    release?.();
    expect([...hosts.listenerLimits()]).to.deep.equal([
      ['2', 1],
      ['3', 0],
    ]);
    expect([...hosts.listenerLimits()]).to.deep.equal([['3', 1]]);
  });
});
