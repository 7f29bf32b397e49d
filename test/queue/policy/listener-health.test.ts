import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Attempts,
  afterAttempts,
  afterRelease,
  afterStart,
  allowance,
  healthy,
  isHeldBack,
  type ListenerHealth,
} from '../../../src/queue/policy/listener-health.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const none: Attempts = { succeeded: 0, failed: 0, refused: { tooMany: 0, unavailable: 0 } };

const succeeded = (count: number): Attempts => ({ ...none, succeeded: count });
const failed = (count: number): Attempts => ({ ...none, failed: count });
const tooMany = (count: number): Attempts => ({ ...none, failed: count, refused: { tooMany: count, unavailable: 0 } });

/** The health after attempts at these times. */
const healthAfter = (...attempts: readonly (readonly [at: number, Attempts])[]): ListenerHealth =>
  attempts.reduce((health, [at, each]) => afterAttempts(health, each, at), healthy);

const probing = (health: ListenerHealth, now: number): ListenerHealth =>
  afterStart(health, { attempts: 1, now, perSecond: undefined, probeMs: minute });

const allowed = (health: ListenerHealth, now: number, perSecond?: number) =>
  allowance(health, { requested: 1_000, now, perSecond });

describe('the health of a listener', () => {
  describe('its circuit breaker', () => {
    it('opens for 30 s when ten attempts were made within five minutes and seven of them failed', () => {
      const { breaker } = healthAfter([0, succeeded(3)], [minute, failed(7)]);
      expect(breaker).to.deep.equal({ openings: 1, openUntil: minute + 30 * second, probing: false });
    });

    it('stays closed where fewer failed, or where most of them are longer ago', () => {
      expect(healthAfter([0, succeeded(4)], [minute, failed(6)]).breaker).to.equal(undefined);
      expect(healthAfter([0, failed(9)]).breaker).to.equal(undefined);
      expect(healthAfter([0, failed(6)], [6 * minute, failed(6)]).breaker).to.equal(undefined);
    });

    it('is not opened by answers that say that there are too many', () => {
      expect(healthAfter([0, tooMany(50)]).breaker).to.equal(undefined);
    });

    it('allows one attempt after that, and no other while it is under way', () => {
      const open = healthAfter([0, failed(10)]);
      expect(allowed(open, 29 * second)).to.deep.equal({ attempts: 0, askAgainAt: 30 * second });
      expect(allowed(open, 30 * second)).to.deep.equal({ attempts: 1, askAgainAt: undefined });
      const tried = probing(open, 30 * second);
      expect(allowed(tried, 31 * second)).to.deep.equal({ attempts: 0, askAgainAt: 90 * second });
      expect(allowed(tried, 90 * second)).to.deep.equal({ attempts: 1, askAgainAt: undefined });
    });

    it('allows another probe after one was released without an attempt', () => {
      const tried = probing(healthAfter([0, failed(10)]), 30 * second);
      const released = afterRelease(tried, 31 * second);
      expect(allowed(released, 31 * second)).to.deep.equal({ attempts: 1, askAgainAt: undefined });
      expect(afterAttempts(probing(released, 31 * second), failed(1), 32 * second).breaker?.openings).to.equal(2);
      expect(afterRelease(healthy, 31 * second)).to.equal(healthy);
    });

    it('closes when that one succeeds, and begins anew', () => {
      const closed = afterAttempts(probing(healthAfter([0, failed(10)]), 30 * second), succeeded(1), 31 * second);
      expect(closed).to.deep.equal(healthy);
      expect(afterAttempts(closed, failed(9), 32 * second).breaker).to.equal(undefined);
    });

    it('stays open twice as long when that one fails, up to an hour', () => {
      let health = healthAfter([0, failed(10)]);
      let now = 30 * second;
      const openFor: number[] = [];
      for (let probe = 0; probe < 9; probe += 1) {
        health = afterAttempts(probing(health, now), failed(1), now);
        openFor.push(((health.breaker?.openUntil ?? 0) - now) / minute);
        now = health.breaker?.openUntil ?? 0;
      }
      expect(openFor).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    });

    it('is not moved by attempts under way when it opened', () => {
      const open = healthAfter([0, failed(10)]);
      expect(afterAttempts(open, succeeded(5), second).breaker).to.deep.equal(open.breaker);
      expect(afterAttempts(open, failed(5), second).breaker).to.deep.equal(open.breaker);
    });

    it('never opens before ten attempts, nor without a failure', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(hour), fc.nat(3), fc.nat(3)), { maxLength: 20 }), (batches) => {
          let health = healthy;
          let attempts = 0;
          let failures = 0;
          for (const [now, good, bad] of batches) {
            health = afterAttempts(health, { ...none, succeeded: good, failed: bad }, now);
            attempts += good + bad;
            failures += bad;
            if (health.breaker) expect([attempts >= 10, failures >= 7]).to.deep.equal([true, true]);
          }
        }),
      );
    });
  });

  describe('how long it has been failing', () => {
    it('begins with the first failure and ends with a success', () => {
      const failing = healthAfter([5, failed(2)], [10, failed(1)]);
      expect(failing.failing).to.deep.equal({ since: 5, attempts: 3 });
      expect(afterAttempts(failing, none, 20).failing).to.deep.equal({ since: 5, attempts: 3 });
      expect(afterAttempts(failing, { ...failed(1), succeeded: 1 }, 20).failing).to.equal(undefined);
    });
  });

  describe('the time that it asks for', () => {
    it('is kept to, and the latest counts', () => {
      const asked = healthAfter(
        [0, { ...failed(1), notBefore: 20 * second }],
        [1, { ...failed(1), notBefore: 10 * second }],
      );
      expect(allowed(asked, 19 * second)).to.deep.equal({ attempts: 0, askAgainAt: 20 * second });
      expect(allowed(asked, 20 * second).attempts).to.be.at.least(1);
    });

    it('is forgotten once it is over', () => {
      const asked = healthAfter([0, { ...failed(1), notBefore: 20 * second }], [20 * second, succeeded(1)]);
      expect(asked.notBefore).to.equal(undefined);
    });
  });

  describe('a rate', () => {
    it('is never exceeded by more than a tenth of a second’s worth, for any requests', () => {
      fc.assert(
        fc.property(
          fc.double({ min: 0.2, max: 500, noNaN: true }),
          fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 200 })), { minLength: 2, maxLength: 60 }),
          (perSecond, asked) => {
            const burst = Math.max(1, Math.floor(perSecond / 10));
            const starts: (readonly [now: number, attempts: number])[] = [];
            let health = healthy;
            let now = 1_000_000;
            for (const [waitMs, requested] of asked) {
              now += waitMs;
              const { attempts } = allowance(health, { requested, now, perSecond });
              if (attempts === 0) continue;
              health = afterStart(health, { attempts, now, perSecond, probeMs: minute });
              starts.push([now, attempts]);
            }
            for (const [from, [begin]] of starts.entries()) {
              let sum = 0;
              for (const [at, attempts] of starts.slice(from)) {
                sum += attempts;
                expect(sum).to.be.at.most(burst + ((at - begin) * perSecond) / second + 1e-6);
              }
            }
          },
        ),
      );
    });

    it('is reached where there is always more: the time to ask again is the right one', () => {
      fc.assert(
        fc.property(fc.double({ min: 0.2, max: 500, noNaN: true }), (perSecond) => {
          let health = healthy;
          let started = 0;
          for (let now = 0; now < 60 * second; ) {
            const { attempts, askAgainAt } = allowance(health, { requested: 1_000, now, perSecond });
            if (attempts > 0) health = afterStart(health, { attempts, now, perSecond, probeMs: minute });
            else expect(askAgainAt).to.be.above(now);
            started += attempts;
            now = askAgainAt ?? now;
          }
          expect(started).to.be.at.least(Math.floor(60 * perSecond * 0.9));
        }),
        { numRuns: 20 },
      );
    });

    it('is all that has to be remembered of a healthy listener, and only where there is one', () => {
      expect(isHeldBack(healthy, undefined)).to.equal(false);
      expect(isHeldBack(healthy, 5)).to.equal(true);
      expect(isHeldBack(healthAfter([0, failed(10)]), undefined)).to.equal(true);
    });
  });

  describe('its pace', () => {
    it('is slower than the refused rate, once for requests sent together', () => {
      const slowed = healthAfter([0, succeeded(100)], [500, tooMany(40)]);
      expect(slowed.pace?.perSecond).to.be.within(1, 140);
      expect(afterAttempts(slowed, tooMany(40), 900).pace).to.deep.equal(slowed.pace);
    });

    it('is slowed down by a 503 too', () => {
      const { pace } = healthAfter([0, { ...none, failed: 20, refused: { tooMany: 0, unavailable: 20 } }]);
      expect(pace?.perSecond).to.be.below(20);
    });

    it('is no longer limited once the listener accepts everything', () => {
      let health = healthAfter([0, tooMany(20)]);
      for (let now = second; now < 20 * minute && health.pace; now += second) {
        health = afterAttempts(health, succeeded(1), now);
      }
      expect(health.pace).to.equal(undefined);
    });

    it('never stops a listener for good: it may be tried now or at a later time, after any history', () => {
      const step = fc.tuple(fc.integer({ min: -hour, max: hour }), fc.nat(50), fc.nat(50), fc.nat(50));
      fc.assert(
        fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
          let health = healthy;
          let now = 1_000 * hour;
          for (const [elapsed, good, refused, bad] of steps) {
            now += elapsed;
            const attempts = { succeeded: good, failed: refused + bad, refused: { tooMany: refused, unavailable: 0 } };
            health = afterAttempts(health, attempts, now);
            if (health.pace) expect(health.pace.perSecond).to.be.at.least(0.1);
            const { attempts: startable, askAgainAt } = allowed(health, now);
            if (startable === 0)
              expect(askAgainAt)
                .to.be.above(now)
                .and.at.most(now + 10 * hour);
            else expect(startable).to.be.within(1, 1_000);
          }
        }),
      );
    });

    it('finds the rate of a listener that accepts 30 a second', () => {
      const { accepted, refused } = deliverTo(30, { seconds: 120 });
      expect(accepted.slice(20).reduce((sum, each) => sum + each, 0) / 100).to.be.within(22, 30);
      expect(refused.slice(20).reduce((sum, each) => sum + each, 0)).to.be.below(100 * 30 * 0.1);
    });
  });

  describe('a clock that is a little behind', () => {
    const behind = [1, second, minute] as const;

    it('finds a breaker open, for no longer than it was opened for', () => {
      const open = healthAfter([10 * hour, failed(10)]);
      for (const ms of behind) {
        const askAgainAt = 10 * hour - ms + 30 * second;
        expect(allowed(open, 10 * hour - ms)).to.deep.equal({ attempts: 0, askAgainAt });
      }
      const tried = probing(open, 10 * hour + 30 * second);
      expect(allowed(tried, 10 * hour + 29 * second).attempts).to.equal(0);
    });

    it('keeps to the longest time that a listener may ask for', () => {
      const asked = healthAfter([20 * hour, { ...failed(1), notBefore: 30 * hour }]);
      for (const ms of behind) {
        expect(allowed(asked, 20 * hour - ms)).to.deep.equal({ attempts: 0, askAgainAt: 30 * hour - ms });
      }
    });

    it('keeps to a rate, however low', () => {
      for (const perSecond of [10, 1, 0.1, 0.05]) {
        const started = afterStart(healthy, { attempts: 1, now: 10 * hour, perSecond, probeMs: minute });
        for (const ms of behind) expect(allowed(started, 10 * hour - ms, perSecond).attempts).to.equal(0);
      }
    });
  });

  describe('attempts recorded by a clock that is a little behind', () => {
    const behind = [1, second, minute] as const;

    it('count beside those before them', () => {
      for (const ms of behind) {
        const { recent, breaker } = healthAfter([10 * hour, failed(6)], [10 * hour - ms, failed(4)]);
        expect(breaker, `${ms} ms behind`).to.include({ openings: 1 });
        expect(recent).to.deep.equal([[10 * hour, 10, 10]]);
      }
    });

    it('lower the pace no second time for one burst of refusals', () => {
      const lowered = healthAfter([10 * hour, tooMany(10)]);
      for (const ms of behind) {
        expect(afterAttempts(lowered, tooMany(10), 10 * hour - ms).pace).to.deep.equal(lowered.pace);
      }
    });
  });

  describe('a clock that is set back', () => {
    it('blocks nothing for longer than it would have been blocked', () => {
      const open = healthAfter([10 * hour, failed(10)]);
      expect(allowed(open, 9 * hour).attempts).to.equal(1);
      const asked = healthAfter([20 * hour, { ...failed(1), notBefore: 21 * hour }]);
      expect(allowed(asked, hour).attempts).to.be.at.least(1);
      const started = afterStart(healthy, { attempts: 1, now: 10 * hour, perSecond: 1, probeMs: minute });
      expect(allowed(started, 9 * hour, 1).attempts).to.equal(1);
    });

    it('keeps the latest attempts in order', () => {
      const { recent } = healthAfter([10 * hour, failed(5)], [9 * hour, failed(5)]);
      expect(recent).to.deep.equal([[9 * hour, 5, 5]]);
    });
  });
});

/** A listener that accepts a number of attempts per second and answers 429 to the rest; each attempt takes 10 ms. */
function deliverTo(perSecond: number, { seconds }: { seconds: number }) {
  const accepted = Array.from({ length: seconds }, () => 0);
  const refused = Array.from({ length: seconds }, () => 0);
  let health = healthy;
  let underWay = 0;
  for (let now = 0; now < seconds * second; now += 10) {
    const at = Math.floor(now / second);
    const capacity = Math.max(0, perSecond - (accepted[at] ?? 0));
    const good = Math.min(underWay, capacity);
    accepted[at] = (accepted[at] ?? 0) + good;
    refused[at] = (refused[at] ?? 0) + underWay - good;
    if (underWay > 0) health = afterAttempts(health, { ...tooMany(underWay - good), succeeded: good }, now);
    underWay = allowance(health, { requested: 16, now, perSecond: undefined }).attempts;
    if (underWay > 0) health = afterStart(health, { attempts: underWay, now, perSecond: undefined, probeMs: minute });
  }
  return { accepted, refused };
}
