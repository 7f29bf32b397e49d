import { expect } from 'chai';
import { crowdedHosts } from '../../src/deliveries/crowded-hosts.js';
import type { LeasedDelivery } from '../../src/deliveries/delivery-queue.js';
import { hostSlots } from '../../src/deliveries/host-slots.js';

const to = (listenerId: string, hookUrl: string) => ({ listenerId, hookUrl }) as LeasedDelivery;

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
    expect([...hosts.atMost()]).to.deep.equal([['2', 0]]);
    expect(hosts.isAwaited(to('1', 'https://example.com/a'))).to.equal(true);
    expect(hosts.isAwaited(to('3', 'https://example.org/'))).to.equal(false);
    release?.();
    hosts.atMost();
    expect(hosts.isAwaited(to('1', 'https://example.com/a'))).to.equal(false);
    expect([...hosts.atMost()]).to.deep.equal([]);
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
