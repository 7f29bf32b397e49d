import { expect } from 'chai';
import fc from 'fast-check';
import {
  askedToWaitUntil,
  defaultRetryPolicy,
  type FailedAttempt,
  nextAttemptAt,
  type Refusal,
} from '../../../src/queue/policy/retry-policy.js';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.UTC(2026, 10, 21, 12);
const next = ({ attempt, ...refusal }: Pick<FailedAttempt, 'attempt'> & Refusal) =>
  nextAttemptAt({ attempt, now, notBefore: askedToWaitUntil(refusal) }, defaultRetryPolicy, () => 0);

describe('the retry schedule', () => {
  it('is ten attempts within 75.6 hours', () => {
    const total = defaultRetryPolicy.schedule.reduce((sum, delayMs) => sum + delayMs, 0);
    expect(defaultRetryPolicy.schedule.length).to.equal(10);
    expect(total / hour).to.be.closeTo(75.6, 0.05);
    expect(next({ attempt: 9, now })).to.be.a('number');
    expect(next({ attempt: 10, now })).to.equal(undefined);
  });

  it('adds 10 to 20 % and never takes away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const delayMs = defaultRetryPolicy.schedule[attempt] ?? Number.NaN;
        const at = nextAttemptAt({ attempt, now }, defaultRetryPolicy, () => random) ?? Number.NaN;
        expect(at - now).to.be.within(delayMs * 1.1, delayMs * 1.2 + 1);
      }),
    );
  });

  it('is as it is configured, the first attempt being made at once', () => {
    const policy = { ...defaultRetryPolicy, schedule: [0, 1_000, minute] };
    expect(nextAttemptAt({ attempt: 1, now }, policy, () => 0)).to.be.within(now + 1_100, now + 1_101);
    expect(nextAttemptAt({ attempt: 2, now }, policy, () => 1)).to.be.within(now + 72_000, now + 72_001);
    expect(nextAttemptAt({ attempt: 3, now }, policy)).to.equal(undefined);
  });

  it("returns the listener's Retry-After, and undefined without one", () => {
    expect(askedToWaitUntil({ now, status: 503, retryAfter: '7' })).to.equal(now + 7_000);
    expect(askedToWaitUntil({ now, status: 429, retryAfter: '99999999' })).to.equal(now + 10 * hour);
    for (const retryAfter of [undefined, '0', 'soon', 'Sat, 21 Nov 2020 12:03:00 GMT']) {
      expect(askedToWaitUntil({ now, status: 429, retryAfter })).to.equal(undefined);
    }
    expect(askedToWaitUntil({ now, status: 500, retryAfter: '7' })).to.equal(undefined);
  });

  const asked: readonly (readonly [what: string, status: number, retryAfter: string, expectedMs: number])[] = [
    ['seconds', 429, '120', 2 * minute],
    ['seconds on 503', 503, ' 120 ', 2 * minute],
    ['an HTTP date', 429, 'Sat, 21 Nov 2026 12:03:00 GMT', 3 * minute],
    ['an HTTP date of RFC 850', 429, 'Saturday, 21-Nov-26 12:03:00 GMT', 3 * minute],
    ['an HTTP date of asctime', 429, 'Sat Nov 21 12:03:00 2026', 3 * minute],
    ['more than ten hours, as ten', 429, '999999999999', 10 * hour],
    ['less than the schedule does, which stands', 429, '1', 5_500],
    ['a date in the past', 429, 'Sat, 21 Nov 2020 12:03:00 GMT', 5_500],
    ['nonsense', 429, 'soon', 5_500],
    ['a negative number', 429, '-120', 5_500],
    ['a fraction', 429, '120.5', 5_500],
    ['a date in another form', 429, '2026-11-21T12:03:00Z', 5_500],
    ['something with a status that does not ask', 500, '120', 5_500],
  ];
  for (const [what, status, retryAfter, expectedMs] of asked) {
    it(`heeds a Retry-After that says ${what}`, () => {
      expect((next({ attempt: 1, now, status, retryAfter }) ?? 0) - now).to.equal(expectedMs);
    });
  }

  it('is never earlier than the schedule or Retry-After, whatever the header', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date().map((date) => String(date)),
        ),
        (retryAfter) => {
          const at = next({ attempt: 1, now, status: 429, retryAfter });
          expect(at).to.be.within(now + 5_500, now + 10 * hour);
          if (/^\d+$/.test(retryAfter))
            expect(at).to.be.at.least(now + Math.min(Number(retryAfter) * 1_000, 10 * hour));
        },
      ),
    );
  });
});
