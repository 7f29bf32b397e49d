import { expect } from 'chai';
import { pino } from 'pino';
import { LeaseLost } from '../../../src/stores/leases/leases.js';
import { type KeepLease, type KeptLease, keepLease } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import { until } from '../../support/until.js';

const times = { leaseMs: 1_200, marginMs: 200, beatMs: 20 };

describe('keeping a lease', () => {
  let kept: KeptLease;

  afterEach(() => kept.end());

  function keep(renew: KeepLease['renew'], overrides: Partial<KeepLease> = {}): KeptLease {
    kept = keepLease({
      name: 'projector',
      term: 7n,
      since: performance.now(),
      renew,
      times,
      log: pino({ level: 'silent' }),
      stopping: new AbortController().signal,
      ...overrides,
    });
    return kept;
  }

  it('lasts as long as it is renewed', async () => {
    const beats: bigint[] = [];
    const { lease } = keep(async (beat) => beats.push(beat) > 0);
    const begun = performance.now();
    await until(() => performance.now() - begun > times.leaseMs && beats.length > 3, 'a lease');
    expect(lease.isHeld()).to.equal(true);
    expect(lease.signal.aborted).to.equal(false);
    expect(beats.slice(0, 3)).to.deep.equal([1n, 2n, 3n]);
  });

  it('is lost as soon as another instance holds it', async () => {
    const { lease } = keep(async () => false);
    await until(() => lease.signal.aborted, 'the loss', { limitMs: times.leaseMs - times.marginMs });
    expect(lease.signal.reason).to.be.instanceOf(LeaseLost);
    expect(lease.isHeld()).to.equal(false);
    expect(await kept.end()).to.equal(true);
  });

  it('outlives renewals that fail, while others cannot have it yet', async () => {
    let failures = 3;
    const { lease } = keep(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('gone for a moment');
      return true;
    });
    const begun = performance.now();
    await until(() => performance.now() - begun > times.leaseMs, 'a lease');
    expect(lease.isHeld()).to.equal(true);
  });

  it('is over before others can have it where no renewal is answered', async () => {
    let answer: ((renewed: boolean) => void) | undefined;
    const since = performance.now();
    const { lease } = keep(() => new Promise((resolve) => (answer = resolve)), { since });
    await until(() => lease.signal.aborted, 'the loss');
    expect(performance.now() - since).to.be.greaterThan(times.leaseMs - times.marginMs - 1);
    answer?.(true); // too late: what has ended does not begin again
    await kept.end();
    expect(lease.isHeld()).to.equal(false);
  });

  it('counts from before the request, however long the answer took', () => {
    const { lease } = keep(async () => true, { since: performance.now() - times.leaseMs });
    expect(lease.isHeld()).to.equal(false);
  });

  it('is renewed until the work has ended although it is to be released', async () => {
    const stopping = new AbortController();
    const beats: bigint[] = [];
    const { lease } = keep(async (beat) => beats.push(beat) > 0, { stopping: stopping.signal });
    stopping.abort();
    expect(lease.signal.aborted).to.equal(true);
    await until(() => beats.length > 2, 'renewals');
    expect(lease.isHeld()).to.equal(true);
    expect(await kept.end()).to.equal(false);
    expect(lease.isHeld()).to.equal(false);
  });
});
