import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pino from 'pino';
import type { DeliveryQueue, Outcome } from '../../src/deliveries/delivery-queue.js';
import { localGates } from '../../src/deliveries/gates.js';
import { hostSlots } from '../../src/deliveries/host-slots.js';
import type { HookRequest, PostResult } from '../../src/deliveries/post.js';
import { defaultRetryPolicy } from '../../src/deliveries/retry-policy.js';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { startWorker, type WorkerSettings } from '../../src/deliveries/worker.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { batchOf, target } from '../support/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const answered: PostResult = { kind: 'answered', status: 200 };

describe('a delivery worker', () => {
  let queue: DeliveryQueue;
  let logged: string[];

  beforeEach(() => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    logged = [];
  });
  afterEach(() => queue.close());

  const start = (fields: Partial<WorkerSettings> = {}) =>
    startWorker({
      queue,
      gates: localGates(),
      post: async ({ mayStart }) => (mayStart() ? answered : { kind: 'withheld' }),
      pools: { destroy: async () => undefined },
      secretsOf: () => ['whsec_AAAA'],
      retryPolicy: defaultRetryPolicy,
      deadlineMs: 1_000,
      userAgent: 'test',
      clock: Date.now,
      hostSlots: hostSlots({ perHost: 100 }),
      onGone: async () => undefined,
      onTroubled: () => undefined,
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
      concurrency: 10,
      perListener: 10,
      perOrganisation: 10,
      leaseMs: 60_000,
      pollMs: 20,
      ...fields,
    });

  const counts = () => queue.counts(Date.now());

  it('finds by itself what another process has enqueued', async () => {
    const worker = start();
    await queue.enqueue(batchOf([target()], 3), Date.now());
    await until(async () => (await counts()).succeeded === 3, 'the deliveries');
    await worker.stop(100);
  });

  it('has no more under way at once than it may, in all and for one hook', async () => {
    const most = { all: 0, one: 0 };
    const now = new Map<string, number>();
    const post = async ({ url }: HookRequest) => {
      now.set(url, (now.get(url) ?? 0) + 1);
      most.all = Math.max(
        most.all,
        [...now.values()].reduce((sum, count) => sum + count, 0),
      );
      most.one = Math.max(most.one, now.get(url) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      now.set(url, (now.get(url) ?? 0) - 1);
      return answered;
    };
    const hooks = Array.from({ length: 10 }, () => target({ hookUrl: `https://example.com/${randomUUID()}` }));
    await queue.enqueue(batchOf(hooks, 20), Date.now());
    const worker = start({ post, perListener: 3 });
    await until(async () => (await counts()).succeeded === 200, 'the deliveries');
    expect(most).to.deep.equal({ all: 10, one: 3 });
    await worker.stop(100);
  });

  it('goes on after trouble with leasing, and says so once', async () => {
    let failures = 3;
    const troubled: DeliveryQueue = {
      ...queue,
      lease: (request) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new StoreUnavailable('gone fishing')) : queue.lease(request);
      },
    };
    await queue.enqueue(batchOf([target()]), Date.now());
    const worker = start({ queue: troubled });
    await until(() => worker.status().error !== undefined, 'the trouble to show');
    await until(async () => (await counts()).succeeded === 1, 'the delivery');
    expect(worker.status().error).to.equal(undefined);
    expect(logged).to.deep.equal(['leasing deliveries cannot go on for now', 'leasing deliveries goes on']);
    await worker.stop(100);
  });

  it('records an outcome in the end, whatever trouble there is meanwhile, and posts no second time', async () => {
    let failures = 3;
    let posts = 0;
    const troubled: DeliveryQueue = {
      ...queue,
      record: (outcomes: readonly Outcome[], now) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new StoreUnavailable('disk full')) : queue.record(outcomes, now);
      },
    };
    await queue.enqueue(batchOf([target()]), Date.now());
    const post = async () => {
      posts += 1;
      return answered;
    };
    const worker = start({ queue: troubled, post });
    await until(async () => (await counts()).succeeded === 1, 'the outcome');
    expect(posts).to.equal(1);
    await worker.stop(100);
  });

  it('asks again for a permit that has run out, and starts no post behind a gate that has closed', async () => {
    const [open, closing] = [target({ hookUrl: 'https://example.com/open' }), target()];
    await queue.enqueue(batchOf([open, closing]), Date.now());
    let moment = 0;
    const posted: string[] = [];
    const post = async ({ url, mayStart }: HookRequest): Promise<PostResult> => {
      if (!mayStart()) return { kind: 'withheld' };
      posted.push(url);
      return answered;
    };
    const slowPost = async (request: HookRequest) => {
      moment += moment < 1_000 ? 300 : 0; // the connection took that long, at first
      return post(request);
    };
    const closedGates: DeliveryQueue['closedGates'] = async (listenerIds) => {
      await queue.closeGate(closing.listenerId); // meanwhile, by another process
      return queue.closedGates(listenerIds);
    };
    const worker = start({ queue: { ...queue, closedGates }, gates: localGates(() => moment), post: slowPost });
    await until(async () => (await counts()).succeeded === 1, 'the open one');
    await worker.stop(100);
    expect(posted).to.deep.equal([open.hookUrl]);
  });

  it('schedules a delivery that cannot be signed like any failure', async () => {
    await queue.enqueue(batchOf([target()]), Date.now());
    const worker = start({
      secretsOf: () => {
        throw new Error('no such key');
      },
    });
    await until(async () => (await queue.list({ orgId: 'acme' }))[0]?.attempts === 1, 'the attempt');
    expect((await queue.list({ orgId: 'acme' }))[0]).to.include({ state: 'waiting', lastError: 'not_signed' });
    await worker.stop(100);
  });
});
