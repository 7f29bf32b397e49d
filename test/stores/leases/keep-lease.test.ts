import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { LeaseLost } from '../../../src/stores/leases/leases.js';
import { type KeepLease, type KeptLease, leaseKeeper } from '../../../src/stores/leases/mongodb/lease-keeper.js';
import { until } from '../../support/until.js';

const times = { leaseMs: 1_200, marginMs: 200, heartbeatMs: 20 };
const lastMs = times.leaseMs - times.marginMs;

describe('keeping a lease', () => {
  let kept: KeptLease | undefined;
  let nowMs: number;

  beforeEach(() => {
    nowMs = 0;
  });
  afterEach(() => kept?.end());

  const keeper = (renew: Parameters<typeof leaseKeeper>[0]['renew']) =>
    leaseKeeper({ renew, times, log: pino({ level: 'silent' }), nowMs: () => nowMs });
  const lease = (fields: Partial<KeepLease> = {}): KeepLease => ({
    name: 'projector',
    holder: 'one',
    term: 7n,
    since: 0,
    stopping: new AbortController().signal,
    ...fields,
  });

  function keep(renew: () => Promise<boolean>, fields: Partial<KeepLease> = {}): KeptLease {
    const one = keeper(async (held) => new Set((await renew()) ? held.map(({ name }) => name) : []))(lease(fields));
    kept = one;
    return one;
  }

  it('lasts as long as it is renewed', async () => {
    let renewals = 0;
    const { lease } = keep(async () => {
      renewals += 1;
      nowMs += lastMs / 3;
      return true;
    });
    await until(() => renewals > 3, 'several renewals');
    expect(lease.isHeld()).to.equal(true);
    expect(lease.signal.aborted).to.equal(false);
  });

  it('is lost as soon as another instance holds it', async () => {
    const { lease } = keep(async () => false);
    await until(() => lease.signal.aborted, 'the loss');
    expect(lease.signal.reason).to.be.instanceOf(LeaseLost);
    expect(lease.isHeld()).to.equal(false);
    expect(await kept?.end()).to.equal(true);
  });

  it('outlives renewals that fail, while others cannot have it yet', async () => {
    let renewals = 0;
    const { lease } = keep(async () => {
      renewals += 1;
      nowMs += lastMs / 5;
      if (renewals <= 3) throw new Error('gone for a moment');
      return true;
    });
    await until(() => renewals > 5, 'renewals after the failures');
    expect(lease.isHeld()).to.equal(true);
  });

  it('is over before others can have it where no renewal is answered', async () => {
    let answer: ((renewed: boolean) => void) | undefined;
    const { lease } = keep(() => new Promise((resolve) => (answer = resolve)));
    nowMs = lastMs - 1;
    expect(lease.isHeld()).to.equal(true);
    nowMs = lastMs;
    expect(lease.isHeld()).to.equal(false);
    await until(() => lease.signal.aborted, 'the loss');
    answer?.(true); // too late: what has ended does not begin again
    await kept?.end();
    expect(lease.isHeld()).to.equal(false);
  });

  it('is not held again once it was not, though a renewal is answered before anything was told', async () => {
    let answer: ((renewed: boolean) => void) | undefined;
    nowMs = lastMs / 2;
    const { lease } = keep(() => new Promise((resolve) => (answer = resolve)));
    await until(() => answer !== undefined, 'a renewal');
    nowMs = lastMs;
    expect(lease.isHeld()).to.equal(false); // work gives up now what another instance may do
    answer?.(true);
    await nextTurn();
    expect(lease.isHeld()).to.equal(false);
  });

  it('counts from before the request, however long the answer took', () => {
    const { lease } = keep(async () => true, { since: -times.leaseMs });
    expect(lease.isHeld()).to.equal(false);
  });

  it('is renewed until the work has ended although it is to be released', async () => {
    const stopping = new AbortController();
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      return true;
    };
    const { lease } = keep(renew, { stopping: stopping.signal });
    stopping.abort();
    expect(lease.signal.aborted).to.equal(true);
    await until(() => renewals > 2, 'renewals');
    expect(lease.isHeld()).to.equal(true);
    expect(await kept?.end()).to.equal(false);
    expect(lease.isHeld()).to.equal(false);
  });

  it('renews all leases of an instance in one request, and loses only the one that another instance holds', async () => {
    const requests: string[][] = [];
    const keepOne = keeper(async (held) => {
      requests.push(held.map(({ name, term }) => `${name} ${term}`));
      return new Set(['a', 'c']);
    });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => keepOne(lease({ name })));
    await until(() => requests.length > 1, 'renewals');
    expect(requests.slice(0, 2)).to.deep.equal([
      ['a 7', 'b 7', 'c 7'],
      ['a 7', 'c 7'],
    ]);
    expect([a, b, c].map((each) => each?.lease.isHeld())).to.deep.equal([true, false, true]);
    await a?.end();
    await until(() => requests.at(-1)?.join() === 'c 7', 'renewals of the rest');
    await c?.end();
  });
});
