import { expect } from 'chai';
import fc from 'fast-check';
import { fanOutShares } from '../../../src/deliveries/fan-out/pace.js';
import { checkSlowMs, slowAfterMs } from '../../../src/queue/policy/fair-sharing.js';
import { type Backlog, simulateSharing } from '../../support/deliveries/sharing-simulation.js';

/** Durations of hosts that answer, answer slowly, and hang until the deadline. */
const postMs = fc.constantFrom(5, 200, 15_000, 15_000);
const concurrency = fc.constantFrom(32, 64, 128);

/** Backlogs of up to four organisations, each with up to four listeners at hosts that others may use too. */
const backlogs = fc
  .array(fc.array(fc.record({ host: fc.constantFrom('a', 'a', 'b'), postMs }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((organisations) =>
    organisations.flatMap((listeners, org) =>
      listeners.map((listener, index): Backlog => {
        const orgId = `org-${org}`;
        return { ...listener, orgId, listenerId: `${orgId}/${index}`, dueAt: 0, count: 300 };
      }),
    ),
  );
/** Backlogs of which two organisations use host a: three that come one after the other may take all of its connections. */
const backlogsOfTwoAtHost = backlogs.map((all) =>
  all.map((backlog) => (/^org-[01]$/.test(backlog.orgId) ? backlog : { ...backlog, host: 'b' })),
);
const publishedAt = fc.integer({ min: 0, max: 100 }).map((tenths) => tenths * 100 + 50);

/** Time for which an event that is published among backlogs waits for its first attempt, in milliseconds. */
async function waitOf(one: Backlog, others: readonly Backlog[], slots: number): Promise<number> {
  const started = await simulateSharing([...others, one], { concurrency: slots, untilMs: one.dueAt + 20_000 });
  return (started.get(one.listenerId) ?? Number.POSITIVE_INFINITY) - one.dueAt;
}

describe('the sharing of slots and connections', () => {
  const event = { listenerId: 'one', count: 1, postMs: 5 };

  it("starts another organisation's event at once, whatever the backlogs, hanging listeners and hosts", () =>
    fc.assert(
      fc.asyncProperty(backlogs, publishedAt, concurrency, async (others, dueAt, slots) => {
        const one = { ...event, orgId: 'quiet', host: 'quiet', dueAt };
        expect(await waitOf(one, others, slots)).to.equal(0);
      }),
      { numRuns: 30 },
    ));

  it("starts another organisation's event at once also at a host that the backlogs of two have saturated", () =>
    fc.assert(
      fc.asyncProperty(backlogsOfTwoAtHost, publishedAt, concurrency, async (others, dueAt, slots) => {
        expect(await waitOf({ ...event, orgId: 'quiet', host: 'a', dueAt }, others, slots)).to.equal(0);
      }),
      { numRuns: 30 },
    ));

  it('starts an event to another listener of an organisation once one of its attempts has ended or is slow', () =>
    fc.assert(
      fc.asyncProperty(backlogs, publishedAt, concurrency, async (others, dueAt, slots) => {
        const longestMs = slowAfterMs + checkSlowMs;
        expect(await waitOf({ ...event, orgId: 'org-0', host: 'quiet', dueAt }, others, slots)).to.be.at.most(
          longestMs,
        );
      }),
      { numRuns: 30, seed: 1 }, // the same runs each time: the limit holds in all that were tried, and has no proof
    ));
});

describe('the sharing of the time that filters take', () => {
  it('leaves four fifths of it to other organisations, apart from 5 ms and one filter, whatever the costs', () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }), (costs) => {
        let now = 0;
        let used = 0;
        const { mayContinue, evaluate } = fanOutShares(() => now)('costly');
        for (const costMs of costs) {
          if (!mayContinue()) {
            now += 1; // others read on; the event waits
            continue;
          }
          const before = used;
          evaluate(() => {
            now += costMs;
            used += costMs;
            return true;
          });
          expect(before).to.be.at.most(5 + now / 5);
        }
      }),
    ));
});
