import { expect } from 'chai';
import fc from 'fast-check';
import type { ListenerAtHost } from '../../../src/queue/leasing.js';
import { AttemptsInFlight, defaultPerHost, LeaseCapacity } from '../../../src/queue/policy/fair-sharing.js';

const to = (listenerId: string, hookUrl = 'https://example.com/', orgId = 'acme'): ListenerAtHost => ({
  listenerId,
  hookUrl,
  orgId,
});

/** An instance with so many slots that only the connections of hosts limit it. */
function instance(perHost: number) {
  const inFlight = new AttemptsInFlight({ maxSlow: 10, perHost });
  const capacity = () => {
    const { byListener, connections } = inFlight;
    return new LeaseCapacity({ limit: 10_000, perListener: 10_000, inFlight: { byListener, connections } });
  };
  /** Begins an attempt, and returns its end; undefined if there is no connection for it. */
  function begin(listener: ListenerAtHost): (() => void) | undefined {
    if (capacity().shareOf(listener) === 0) return undefined;
    return inFlight.begin(listener, 0);
  }
  return { begin, capacity };
}

describe('connections at a host', () => {
  it('are those of each host alone, with all its ports', () => {
    const { begin } = instance(1);
    const end = begin(to('1', 'http://example.com:8080/a'));
    expect(begin(to('2', 'http://example.com:9090/b'))).to.equal(undefined);
    expect(begin(to('2', 'https://example.org/b'))).to.be.a('function');
    end?.();
    expect(begin(to('2', 'https://example.com/b'))).to.be.a('function');
  });

  /** Connections of listeners that begin attempts in turn until they get no more. */
  function filledBy(listeners: number, perHost: number) {
    const { begin } = instance(perHost);
    let connections = 0;
    for (let before = -1; before < connections; ) {
      before = connections;
      for (let listener = 1; listener <= listeners; listener += 1) if (begin(to(`${listener}`))) connections += 1;
    }
    return { connections, begin: (orgId: string) => begin(to('next', 'https://example.com/', orgId)) };
  }

  it('leave some for the next listener of an organisation, however many hang on to theirs', () => {
    for (const perHost of [5, 64]) {
      for (const listeners of [1, 2, 3]) {
        const { begin } = filledBy(listeners, perHost);
        expect(begin('acme'), `${listeners} listeners, ${perHost} connections`).to.be.a('function');
      }
    }
  });

  it('leave some for the next organisation, however many listeners of another hang on to theirs', () => {
    for (const perHost of [2, 5, 64]) {
      for (const listeners of [1, 3, 100]) {
        const { begin } = filledBy(listeners, perHost);
        expect(begin('other'), `${listeners} listeners, ${perHost} connections`).to.be.a('function');
      }
    }
  });

  it('are by default enough for half of all slots to one organisation alone, and a quarter to one listener alone', () => {
    expect(filledBy(1_000, defaultPerHost(256)).connections).to.equal(128);
    expect(filledBy(1, defaultPerHost(256)).connections).to.equal(64);
  });

  it('are no more to a listener than it leaves to others', () => {
    const { begin, capacity } = instance(8);
    const shares = () => ['1', '2'].map((listenerId) => capacity().shareOf(to(listenerId)));
    expect(shares()).to.deep.equal([3, 3]);
    const first = begin(to('1'));
    expect(shares()).to.deep.equal([2, 3]);
    for (let taken = 1; taken < 3; taken += 1) expect(begin(to('1'))).to.be.a('function');
    expect(shares()).to.deep.equal([0, 2]);
    expect(begin(to('2'))).to.be.a('function');
    expect(shares()).to.deep.equal([0, 1]);
    first?.();
    expect(shares()).to.deep.equal([1, 1]);
  });

  it('name the host in the lease that has too few for a listener, and the listener that has none', () => {
    const { capacity } = instance(2);
    const lease = capacity();
    const took = lease.shareOf(to('1'));
    expect(lease.saturated()).to.deep.equal({ saturatedHosts: ['example.com'] });
    lease.take(to('1'), took);
    expect(lease.shareOf(to('1'))).to.equal(0);
    expect(lease.shareOf(to('1', 'https://example.org/'))).to.equal(1);
    expect(lease.busyListeners()).to.deep.equal(['1']);
    expect(capacity().saturated()).to.deep.equal({});
  });

  it('are refused to any number of listeners, which a lease passes over', () => {
    const { begin, capacity } = instance(1);
    begin(to('first'));
    const lease = capacity();
    const listeners = Array.from({ length: 3_000 }, (_, listener) => to(`${listener}`));
    expect(listeners.filter((listener) => lease.shareOf(listener) > 0)).to.deep.equal([]);
    expect(lease.busyListeners()).to.have.length(3_000);
  });

  it('suffice for all deliveries leased within the capacity, whatever is in use', () => {
    const listener = fc
      .record({
        listenerId: fc.constantFrom('1', '2', '3', '4', '5', '6'),
        host: fc.constantFrom('example.com', 'example.org'),
      })
      .map(({ listenerId, host }) =>
        to(`${host}/${listenerId}`, `https://${host}/`, Number(listenerId) % 2 === 0 ? 'acme' : 'globex'),
      );
    const most = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.array(listener), fc.array(fc.tuple(listener, most)), most, (before, leases, perHost) => {
        const { begin, capacity } = instance(perHost);
        for (const each of before) begin(each);
        const lease = capacity();
        const leased = leases.flatMap(([each, wanted]) => {
          const count = Math.min(wanted, lease.shareOf(each));
          expect(Math.min(wanted, lease.copy().shareOf(each))).to.equal(count);
          lease.take(each, count);
          return Array<ListenerAtHost>(count).fill(each);
        });
        for (const each of leased) expect(begin(each)).to.be.a('function');
      }),
    );
  });
});
