import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import type { HeldLease, LeadershipLease, Leases } from '../../src/stores/leases/leases.js';
import { until } from '../support/until.js';

const untilAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/** `open` gives the leases of an instance; those of one `place` compete. */
export function leasesContract(name: string, open: (place: string) => Leases): void {
  describe(`leases on ${name}`, () => {
    let place: string;
    let all: HeldLease[];

    beforeEach(() => {
      place = randomUUID();
      all = [];
    });
    afterEach(() => Promise.all(all.map((held) => held.stop())));

    function hold(lease: string, work: (lease: LeadershipLease) => Promise<void>): HeldLease {
      const held = open(place).hold(lease, work);
      all.push(held);
      return held;
    }

    /** One whose leases are told as they begin. */
    function holding(lease = 'projector') {
      const begun: { term: bigint; at: number; isHeld: () => boolean }[] = [];
      let running = 0;
      const held = hold(lease, async ({ term, signal, isHeld }) => {
        running += 1;
        begun.push({ term, at: performance.now(), isHeld });
        await untilAborted(signal);
        running -= 1;
      });
      return { ...held, begun, isRunning: () => running > 0 };
    }

    it('is held by one at a time, each under a later term', async () => {
      const instances = [holding(), holding(), holding()];
      const terms: bigint[] = [];
      let left = [...instances];
      while (left.length > 0) {
        await until(() => left.some(({ isRunning }) => isRunning()), 'a holder');
        const [holder, ...others] = left.filter(({ isRunning }) => isRunning());
        expect(others).to.have.length(0);
        terms.push(holder?.begun.at(-1)?.term ?? -1n);
        expect(holder?.begun.at(-1)?.isHeld()).to.equal(true);
        await holder?.stop();
        expect(holder?.begun.at(-1)?.isHeld()).to.equal(false);
        left = left.filter((each) => each !== holder);
      }
      expect(terms).to.deep.equal(terms.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(new Set(terms).size).to.equal(3);
    });

    it('tells who holds it', async () => {
      const first = holding();
      await until(first.isRunning, 'the first');
      const second = holding();
      expect(first.status()).to.include({ name: 'projector', held: true });
      expect(first.status().holder).to.be.a('string');
      expect(second.status()).to.include({ name: 'projector', held: false });
      await first.stop();
      expect(first.status()).to.include({ held: false });
    });

    it('goes to another at once on a stop, long before it would have expired', async () => {
      const tookMs: number[] = [];
      let holder = holding();
      await until(holder.isRunning, 'the first');
      for (let turn = 0; turn < 3; turn += 1) {
        const next = holding();
        const stoppedAt = performance.now();
        await holder.stop();
        await until(next.isRunning, 'the other to hold it');
        tookMs.push((next.begun[0]?.at ?? 0) - stoppedAt);
        holder = next;
      }
      expect(Math.min(...tookMs)).to.be.lessThan(2_000); // it expires after four seconds
    });

    it('waits for the work to end before another has it', async () => {
      const ended: string[] = [];
      const first = hold('projector', async ({ signal }) => {
        ended.push('begun');
        await untilAborted(signal);
        await new Promise((resolve) => setTimeout(resolve, 150));
        ended.push('ended');
      });
      await until(() => ended.length === 1, 'the first');
      const second = hold('projector', async ({ signal }) => {
        ended.push('begun');
        await untilAborted(signal);
      });
      await first.stop();
      await until(() => ended.length === 3, 'the second');
      expect(ended).to.deep.equal(['begun', 'ended', 'begun']);
      await second.stop();
    });

    it('does not wait for a lease of another name', async () => {
      const [one, other] = [holding('projector'), holding('fan-out')];
      await until(() => one.isRunning() && other.isRunning(), 'both');
    });

    it('runs the work again where it has failed or ended, under a later term, and says so', async () => {
      const terms: bigint[] = [];
      const held = hold('projector', async ({ term, signal }) => {
        terms.push(term);
        if (terms.length === 1) throw new Error('not today');
        if (terms.length === 3) await untilAborted(signal);
      });
      await until(() => held.status().error !== undefined, 'the failure');
      expect(held.status().error?.message).to.equal('not today');
      await until(() => terms.length === 3, 'the third time');
      expect(terms).to.deep.equal(terms.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(new Set(terms).size).to.equal(3);
    });

    it('stops those who wait at once', async () => {
      const [first, second] = [holding(), holding()];
      await until(() => first.isRunning() || second.isRunning(), 'a holder');
      const waiting = first.isRunning() ? second : first;
      await waiting.stop();
      expect(waiting.begun).to.have.length(0);
    });
  });
}
