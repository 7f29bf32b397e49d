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
    expect(slots.isFull('a')).to.equal(true);
    taken[0]?.();
    await Promise.all(waiting);
    expect(order).to.deep.equal(['second', 'third']);
    expect(slots.isFull('a')).to.equal(false);
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

  it('make a hook look busy while there is none for it', async () => {
    const hosts = crowdedHosts(hostSlots({ perHost: 1, waitMs: 5 }));
    const underWay = new Map([['1', 1]]);
    expect(hosts.busy(underWay, 4)).to.equal(underWay);
    const release = await hosts.place(to('1', 'https://example.com/a'));
    hosts.passOver(to('2', 'https://example.com/b'));
    expect([...hosts.busy(underWay, 4)]).to.deep.equal([
      ['1', 1],
      ['2', 4],
    ]);
    release?.();
    expect([...hosts.busy(underWay, 4)]).to.deep.equal([['1', 1]]);
  });
});
