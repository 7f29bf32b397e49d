import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { startWorker, type Worker } from '../../../src/deliveries/worker/worker.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { batchOf, emptyBatch, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { answered, type WorkerFields, workerSettings } from '../../support/deliveries/worker-settings.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const down = () => Promise.reject(new StoreUnavailable('the store is down'));

describe('deliveries enqueued through a worker', () => {
  let queue: DeliveryQueue;
  let worker: Worker;

  beforeEach(() => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  });
  afterEach(async () => {
    await worker.stop(100);
    await queue.close();
  });

  /** Starts a worker whose poll is too late to help. */
  function start(methods: Partial<DeliveryQueue>, fields: WorkerFields = {}): void {
    worker = startWorker(workerSettings({ ...queue, ...methods }, { pollMs: 60_000, ...fields }));
  }
  const succeeded = async () => (await queue.counts(Date.now())).succeeded;

  it('clears the error of leasing, since it leases too', async () => {
    let leases = 0;
    start({
      lease(request) {
        leases += 1;
        return leases === 1 ? down() : queue.lease(request);
      },
    });
    await until(() => worker.status().error !== undefined, 'the trouble');
    await worker.enqueueAndStart(batchOf([queuedListener()]), Date.now());
    expect(worker.status().error).to.equal(undefined);
    await until(async () => (await succeeded()) === 1, 'the delivery');
  });

  it('is gone on with as soon as a slot is free, where there was no capacity for all of it', async () => {
    let posts = 0;
    const post = async () => {
      posts += 1;
      return answered;
    };
    const listener = queuedListener();
    await queue.enqueue({ ...emptyBatch, listeners: [listener] }, Date.now());
    start({}, { post, concurrency: 2 });
    await worker.enqueueAndStart(batchOf([listener], 6), Date.now());
    await until(() => posts === 6, 'the posts');
  });

  it('is leased at once if it was held, also by a queue that leases nothing while it enqueues', async () => {
    const listener = queuedListener();
    await queue.enqueue(batchOf([{ ...listener, paused: true, position: 5n }], 3), Date.now());
    start({ enqueue: (batch, now) => queue.enqueue(batch, now) });
    await pause(20); // as below
    const released = [{ listenerId: listener.listenerId, before: 9n }];
    await worker.enqueueAndStart({ ...emptyBatch, listeners: [{ ...listener, position: 9n }], released }, Date.now());
    await until(async () => (await succeeded()) === 3, 'the deliveries');
  });

  it('is leased in the same step, also if a lease is under way', async () => {
    const requested: boolean[] = [];
    let leases = 0;
    start({
      async lease(request) {
        leases += 1;
        await pause(20);
        return queue.lease(request);
      },
      enqueue(batch, now, request) {
        requested.push(request !== undefined);
        return queue.enqueue(batch, now, request);
      },
    });
    for (let events = 1; events <= 3; events += 1) {
      worker.wake();
      await worker.enqueueAndStart(batchOf([queuedListener()]), Date.now());
    }
    await until(async () => (await succeeded()) === 3, 'the deliveries');
    expect(requested).to.deep.equal([true, true, true]);
    expect(leases).to.be.at.least(1);
  });

  it('does not delay the look for deliveries that other instances have left', async () => {
    let looks = 0;
    const lease: DeliveryQueue['lease'] = (request) => {
      looks += 1;
      return queue.lease(request);
    };
    const enqueue = async () => ({ added: 0, lease: { deliveries: [], nextDueAt: undefined } });
    start({ lease, enqueue }, { pollMs: 100 });
    for (let events = 0; events < 40; events += 1) {
      await worker.enqueueAndStart(batchOf([queuedListener()]), Date.now());
      await pause(10);
    }
    expect(looks).to.be.at.least(3);
  });

  it('is released if the worker stops meanwhile, and nothing is posted', async () => {
    let posts = 0;
    start(
      {
        async enqueue(...batch) {
          const enqueued = await queue.enqueue(...batch);
          await pause(50); // the worker receives its leases only now
          return enqueued;
        },
      },
      {
        async post() {
          posts += 1;
          return answered;
        },
      },
    );
    await pause(20); // its first look is over
    const enqueued = worker.enqueueAndStart(batchOf([queuedListener()], 5), Date.now());
    await worker.stop(60_000);
    await enqueued;
    expect(posts).to.equal(0);
    expect((await queue.lease(leaseRequest({ now: Date.now() }))).deliveries).to.have.length(5);
  });

  it('fails for its caller, and a concurrent batch is delivered', async () => {
    let fails = true;
    start({ enqueue: (...batch) => (fails ? down() : queue.enqueue(...batch)) });
    await pause(20); // as above
    const failure = rejection(worker.enqueueAndStart(batchOf([queuedListener()]), Date.now()));
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    worker.wake();
    expect(await failure).to.be.instanceOf(StoreUnavailable);
    await until(async () => (await succeeded()) === 1, 'what another has enqueued');
    fails = false;
    await worker.enqueueAndStart(batchOf([queuedListener()]), Date.now());
    await until(async () => (await succeeded()) === 2, 'what came later');
  });
});
