import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import { restAfter, startRetention } from '../../src/queue/retention.js';
import { soleHolder } from '../../src/stores/leases/sole-holder.js';
import { until } from '../support/until.js';

const log = pino({ enabled: false });

describe('forgetting old deliveries', () => {
  /** Runs against a queue that answers each step with the next of these, and 0 after them; each look at the clock is 1 s later. */
  async function purged(
    answers: (number | Error)[],
    steps: number,
    { idleMs = 3_600_000, stepMs = 0, afterMs = 0 } = {},
  ) {
    const walked: { what: string; before: number; after: string | undefined }[] = [];
    const asked: { before: number; limit: number; withinMs: number | undefined }[] = [];
    let now = 100_000;
    const began = performance.now();
    const retention = startRetention({
      queue: {
        async forget(step) {
          if (step.of === 'terms' || step.of === 'organisation') throw new Error('not old by its time');
          const { of, before, after } = step;
          if (of !== 'deliveries') {
            walked.push({ what: of, before, after });
            return { forgotten: 1, next: of === 'flowEvents' && after === undefined ? 'second page' : undefined };
          }
          asked.push({ before, limit: step.limit, withinMs: step.withinMs });
          if (stepMs > 0) await pause(stepMs);
          const answer = answers.shift() ?? 0;
          if (answer instanceof Error) throw answer;
          return { forgotten: answer, next: answer > 0 ? '' : undefined };
        },
      },
      leases: soleHolder({ log }),
      log,
      retentionMs: 60_000,
      publishMemoryMs: 90_000,
      clock: () => {
        now += 1_000;
        return now;
      },
      pace: { step: 200, withinMs: 2, idleMs },
    });
    await until(() => asked.length >= steps, 'steps');
    const tookMs = performance.now() - began;
    await pause(afterMs);
    await retention.stop();
    return { asked, walked, tookMs };
  }

  it('continues in small steps until nothing is left that was old at its start', async () => {
    const { asked } = await purged([200, 30, 1, 0], 4);
    expect(asked).to.eql(Array(4).fill({ before: 41_000, limit: 200, withinMs: 2 }));
  });

  it('rests then, and searches for rows that have become old meanwhile', async () => {
    const { asked } = await purged([200, 0, 200, 0], 4, { idleMs: 1 });
    expect(asked.slice(0, 4).map(({ before }) => before)).to.eql([41_000, 41_000, 42_000, 42_000]);
  });

  it('forgets published ids page by page after the deliveries, the half hours of 25 hours ago, and the days of 400 days ago once a day', async () => {
    const { walked } = await purged([0, 0, 0], 3, { idleMs: 1 });
    const days = 400 * 86_400_000;
    const halfHours = 25 * 3_600_000;
    expect(walked.slice(0, 7)).to.deep.equal([
      { what: 'flowEvents', before: 101_000 - 90_000, after: undefined },
      { what: 'flowEvents', before: 101_000 - 90_000, after: 'second page' },
      { what: 'halfHours', before: 101_000 - halfHours, after: undefined },
      { what: 'days', before: 101_000 - days, after: undefined },
      { what: 'flowEvents', before: 102_000 - 90_000, after: undefined },
      { what: 'flowEvents', before: 102_000 - 90_000, after: 'second page' },
      { what: 'halfHours', before: 102_000 - halfHours, after: undefined },
    ]);
  });

  it('does not look again soon where nothing is left', async () => {
    const { asked } = await purged([200, 0, 200], 2, { afterMs: 300 });
    expect(asked).to.have.length(2);
  });

  it('rests nine times as long as a step took, not for less than 10 ms nor for more than 250', () => {
    expect([0, 1, 2, 10, 27, 100, 5_000].map(restAfter)).to.eql([10, 10, 18, 90, 243, 250, 250]);
  });

  it('rests after each step in proportion to its duration', async () => {
    const { tookMs } = await purged([1, 1, 1], 4, { stepMs: 20 });
    expect(tookMs).to.be.above(3 * 10 * 19); // timers are up to 1 ms early
  });

  it('waits while the store fails, and repeats the step', async () => {
    const { asked } = await purged([200, new StoreUnavailable('down'), 2, 0], 4);
    expect(asked.map(({ before }) => before)).to.eql(Array(4).fill(41_000));
  });

  it('stops at once, in the middle of a rest', async () => {
    expect((await purged([], 1)).asked).to.have.length(1);
  });
});
