import { expect } from 'chai';
import type { PostResult } from '../../../src/deliveries/posting/post.js';
import { startWorker } from '../../../src/deliveries/worker/worker.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { answered, workerSettings } from '../../support/deliveries/worker-settings.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const minute = 60_000;

describe('the subscription of an agent that has expired', () => {
  let queue: DeliveryQueue;
  let now: number;
  let posted: number;
  let result: PostResult;
  let gone: string[];
  let worker: ReturnType<typeof startWorker>;
  beforeEach(() => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    now = Date.now();
    posted = 0;
    result = answered;
    gone = [];
    worker = startWorker(
      workerSettings(queue, {
        clock: () => now,
        async post({ mayStart }) {
          if (!mayStart()) return { kind: 'withheld' };
          posted += 1;
          return result;
        },
        onGone: async ({ listenerId }) => {
          await queue.withdraw({ listenerId });
          gone.push(listenerId);
        },
      }),
    );
  });
  afterEach(async () => {
    await worker.stop(100);
    await queue.close();
  });

  const agentUntil = (endAt: number) =>
    queuedListener({
      hookUrl: `https://agent.example/hook#sub_${'0'.repeat(32)}`,
      secret: { keyGeneration: 'g1', version: 1, previous: null, expiresAt: new Date(endAt).toISOString() },
    });
  const enqueue = (listener: ReturnType<typeof agentUntil>) => queue.enqueue(batchOf([listener]), now);

  it('gets no event any more, and is removed by the first', async () => {
    const listener = agentUntil(now);
    await enqueue(listener);
    await until(() => gone.length > 0, 'the removal');
    expect([posted, gone]).to.eql([0, [listener.listenerId]]);
  });

  it('gets none that waited for a retry', async () => {
    const listener = agentUntil(now + minute);
    result = { kind: 'answered', status: 503 };
    await enqueue(listener);
    await until(async () => {
      const { deliveries } = await queue.deliveries({ orgId: listener.orgId, states: ['waiting'] });
      return deliveries[0]?.lastStatus === 503;
    }, 'the failure');
    result = answered;
    now += minute;
    await until(() => {
      worker.wake();
      return gone.length > 0;
    }, 'the removal');
    expect([posted, gone]).to.eql([1, [listener.listenerId]]);
    expect((await queue.counts(now)).waiting).to.equal(0);
  });
});
