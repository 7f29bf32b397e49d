import { expect } from 'chai';
import { pino } from 'pino';
import { startRetention } from '../../src/deliveries/retention.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { soleHolder } from '../../src/leases/sole-holder.js';
import { until } from '../support/until.js';

const log = pino({ enabled: false });

describe('forgetting old deliveries', () => {
  /** Runs against a queue that answers each step with the next of these, and 0 after them. */
  async function purged(answers: (number | Error)[], steps: number) {
    const asked: { readonly before: number; readonly limit: number }[] = [];
    const retention = startRetention({
      queue: {
        async purge(request) {
          asked.push(request);
          const answer = answers.shift() ?? 0;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      ...{ leases: soleHolder({ log }), log, retentionMs: 60_000, clock: () => 100_000 },
      pace: { step: 2, restMs: 1, idleMs: 3_600_000 },
    });
    await until(() => asked.length >= steps, 'steps');
    await retention.stop();
    return asked;
  }

  it('goes on in small steps until nothing old is left, and then rests', async () => {
    const asked = await purged([2, 2, 1, 2], 3);
    expect(asked).to.eql(Array(3).fill({ before: 40_000, limit: 2 }));
  });

  it('waits where the store is in trouble, and goes on', async () => {
    const asked = await purged([new StoreUnavailable('down'), 2, 0], 3);
    expect(asked).to.have.length(3);
  });

  it('stops at once, in the middle of a rest', async () => {
    expect(await purged([], 1)).to.have.length(1);
  });
});
