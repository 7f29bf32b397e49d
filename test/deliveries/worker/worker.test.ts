import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ListenerRequest, PostResult } from '../../../src/deliveries/posting/post.js';
import { workerGates } from '../../../src/deliveries/worker/gates.js';
import { startWorker } from '../../../src/deliveries/worker/worker.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeaseRequest, Outcome } from '../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { logOf } from '../../support/deliveries/log-of.js';
import { answered, type WorkerFields, workerSettings } from '../../support/deliveries/worker-settings.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('a delivery worker', () => {
  let queue: DeliveryQueue;
  let logged: string[];

  beforeEach(() => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    logged = [];
  });
  afterEach(() => queue.close());

  const start = (fields: WorkerFields = {}) => startWorker(workerSettings(queue, { logged, ...fields }));

  const counts = () => queue.counts(Date.now());

  it('polls for deliveries that another process has enqueued', async () => {
    const worker = start();
    await queue.enqueue(batchOf([queuedListener()], 3), Date.now());
    await until(async () => (await counts()).succeeded === 3, 'the deliveries');
    await worker.stop(100);
  });

  it('starts no attempt at a delivery whose lease it has lost', async () => {
    await queue.enqueue(batchOf([queuedListener()], 3), Date.now());
    const outcomes: Outcome[] = [];
    const posted: string[] = [];
    const frozen: DeliveryQueue = {
      ...queue,
      lease: async (request) => ({ ...(await queue.lease(request)), isHeld: () => false }),
      record: async (given) => {
        outcomes.push(...given);
        return { counted: 0, troubled: [] };
      },
    };
    const post = async ({ url, mayStart }: ListenerRequest): Promise<PostResult> => {
      if (!mayStart()) return { kind: 'withheld' };
      posted.push(url);
      return answered;
    };
    const worker = startWorker(workerSettings(frozen, { logged, post }));
    await until(() => outcomes.length >= 3, 'the outcomes');
    expect(outcomes.map(({ kind }) => kind)).to.eql(['released', 'released', 'released']);
    expect(posted).to.eql([]);
    await worker.stop(100);
  });

  it('asks for the next delivery of an ordered listener alone, as soon as the outcome of the one before is recorded', async () => {
    const listener = queuedListener({ ordered: true });
    const steps: string[] = [];
    const watched: DeliveryQueue = {
      ...queue,
      async lease(request) {
        if (request.onlyNextOf) steps.push(`asks for ${request.onlyNextOf.join(' ')}`);
        return queue.lease(request);
      },
      async record(outcomes, now) {
        const recorded = await queue.record(outcomes, now);
        steps.push('records');
        return recorded;
      },
    };
    const post = async () => {
      steps.push('posts');
      return answered;
    };
    await queue.enqueue(batchOf([listener], 3), Date.now());
    const worker = startWorker(workerSettings(watched, { logged, post }));
    await until(async () => (await counts()).succeeded === 3, 'the deliveries');
    const each = ['posts', 'records', `asks for ${listener.listenerId}`];
    await until(() => steps.length === 9, 'the last request');
    expect(steps).to.deep.equal([...each, ...each, ...each]);
    await worker.stop(100);
  });

  it('releases the slots of slow attempts to other listeners, even if they hold all', async () => {
    const hanging = queuedListener({ hookUrl: 'https://hangs.example.com/' });
    const healthy = queuedListener({ hookUrl: 'https://example.com/', orgId: hanging.orgId });
    let letGo = (_: PostResult): void => {};
    const answer = new Promise<PostResult>((resolve) => {
      letGo = resolve;
    });
    const post = async ({ url }: ListenerRequest) => (url === hanging.hookUrl ? answer : answered);
    await queue.enqueue(batchOf([hanging], 10), Date.now());
    const worker = start({ post });
    await until(() => worker.status().underWay === 10, 'all slots to hang');
    await queue.enqueue(batchOf([healthy], 10), Date.now());
    await until(async () => (await counts()).succeeded === 10, 'the healthy one to have its deliveries');
    expect(worker.status().underWay).to.equal(10);
    letGo(answered);
    await until(async () => (await counts()).succeeded === 20, 'those that hung');
    await worker.stop(100);
  });

  it('leases deliveries that arrived while all slots were in use as soon as one is free', async () => {
    let letGo = (_: PostResult): void => {};
    const answer = new Promise<PostResult>((resolve) => {
      letGo = resolve;
    });
    const worker = start({ post: () => answer, perListener: 100, perOrganisation: 100, pollMs: 60_000 });
    await queue.lease(leaseRequest({ now: Date.now() })); // the worker's first look, which finds nothing, is over
    await queue.enqueue(batchOf([queuedListener()], 11), Date.now());
    worker.wake();
    await until(() => worker.status().underWay === 10, 'all slots to be taken');
    await queue.enqueue(batchOf([queuedListener()], 1), Date.now());
    worker.wake();
    letGo(answered);
    await until(async () => (await counts()).succeeded === 12, 'those for which there was no slot');
    await worker.stop(100);
  });

  it('leases again if a connection of a saturated host is released while it leases', async () => {
    let letGo = (_: PostResult): void => {};
    const answer = new Promise<PostResult>((resolve) => {
      letGo = resolve;
    });
    let leases = 0;
    const lease: DeliveryQueue['lease'] = async (request) => {
      leases += 1;
      if (leases !== 2) return queue.lease(request);
      letGo(answered);
      await until(() => worker.status().underWay === 0, 'the connection to be released');
      return { deliveries: [], nextDueAt: undefined, saturatedHosts: ['example.com'] };
    };
    await queue.enqueue(batchOf([queuedListener({ hookUrl: 'https://example.com/1' })]), Date.now());
    const worker = start({ queue: { ...queue, lease }, post: () => answer, pollMs: 60_000 });
    await until(() => worker.status().underWay === 1, 'the connection to be in use');
    await queue.enqueue(batchOf([queuedListener({ hookUrl: 'https://example.com/2' })]), Date.now());
    worker.wake();
    await until(async () => (await counts()).succeeded === 2, 'the other one');
    await worker.stop(100);
  });

  it('may be stopped again, with a shorter timeout, while it stops', async () => {
    let letGo = (_: PostResult): void => {};
    const answer = new Promise<PostResult>((resolve) => {
      letGo = resolve;
    });
    let destroyed = 0;
    const destroy = async () => {
      destroyed += 1;
    };
    const worker = start({ post: () => answer, destroy });
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    worker.wake();
    await until(() => worker.status().underWay === 1, 'the post to hang');
    const stopped = [worker.stop(50), worker.stop(0)];
    await until(() => destroyed === 2, 'the patience of both to end');
    letGo(answered);
    await Promise.all(stopped);
    expect((await counts()).succeeded).to.equal(1);
  });

  it('stops within its timeout though the store does not answer, and releases what it leased later', async () => {
    let answerNow = (): void => {};
    const answering = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    const leased: number[] = [];
    let asked = false;
    const lease = async (request: LeaseRequest) => {
      asked = true;
      await answering;
      const answer = await queue.lease(request);
      leased.push(answer.deliveries.length);
      return answer;
    };
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    const worker = start({ queue: { ...queue, lease } });
    await until(() => asked, 'the store to be asked');
    await worker.stop(20);
    answerNow();
    await until(() => leased.length === 1, 'the answer');
    expect(leased).to.deep.equal([1]);
    const ofAnother = leaseRequest({ now: Date.now() });
    await until(async () => (await queue.lease(ofAnother)).deliveries.length === 1, 'the delivery to be free again');
  });

  it('starts no post after its stop timeout, even if a connection becomes free', async () => {
    const posted: string[] = [];
    const waiting: (() => void)[] = [];
    const post = async ({ url, mayStart }: ListenerRequest): Promise<PostResult> => {
      const isFirst = waiting.length === 0;
      const ended = new Promise<void>((resolve) => waiting.push(resolve));
      if (!isFirst) await ended; // for the connection of the first
      if (!mayStart()) return { kind: 'withheld' };
      posted.push(url);
      await ended;
      return { kind: 'failed', error: 'network' };
    };
    const destroy = async () => {
      for (const end of waiting) end();
    };
    for (const orgId of ['acme', 'globex']) await queue.enqueue(batchOf([queuedListener({ orgId })]), Date.now());
    const worker = start({ post, destroy });
    await until(() => waiting.length === 2, 'the other one to wait for the connection');
    await worker.stop(0);
    expect(posted).to.have.lengthOf(1);
    expect(await counts()).to.include({ waiting: 2 });
  });

  it('has no more attempts in flight than its limits, in all and for one listener', async () => {
    const most = { all: 0, one: 0 };
    const now = new Map<string, number>();
    const post = async ({ url }: ListenerRequest) => {
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
    const listeners = Array.from({ length: 10 }, () =>
      queuedListener({ hookUrl: `https://example.com/${randomUUID()}` }),
    );
    await queue.enqueue(batchOf(listeners, 20), Date.now());
    const worker = start({ post, perListener: 3 });
    await until(async () => (await counts()).succeeded === 200, 'the deliveries');
    expect(most).to.deep.equal({ all: 10, one: 3 });
    await worker.stop(100);
  });

  it('continues after leasing fails, and logs it once', async () => {
    let failures = 3;
    const troubled: DeliveryQueue = {
      ...queue,
      lease: (request) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new StoreUnavailable('gone fishing')) : queue.lease(request);
      },
    };
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    const worker = start({ queue: troubled });
    await until(() => worker.status().error !== undefined, 'the trouble to show');
    await until(async () => (await counts()).succeeded === 1, 'the delivery');
    expect(worker.status().error).to.equal(undefined);
    expect(logged).to.deep.equal(['leasing deliveries is failing', 'leasing deliveries has recovered']);
    await worker.stop(100);
  });

  it('records an outcome after any failures, and posts no second time', async () => {
    let failures = 3;
    let posts = 0;
    const troubled: DeliveryQueue = {
      ...queue,
      record: (outcomes: readonly Outcome[], now) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new StoreUnavailable('disk full')) : queue.record(outcomes, now);
      },
    };
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    const post = async () => {
      posts += 1;
      return answered;
    };
    const worker = start({ queue: troubled, post });
    await until(async () => (await counts()).succeeded === 1, 'the outcome');
    expect(posts).to.equal(1);
    await worker.stop(100);
  });

  it('renews an expired permit, and starts no post behind a closed gate', async () => {
    const [open, closing] = [queuedListener({ hookUrl: 'https://example.com/open' }), queuedListener()];
    await queue.enqueue(batchOf([open, closing]), Date.now());
    let moment = 0;
    const posted: string[] = [];
    const post = async ({ url, mayStart }: ListenerRequest): Promise<PostResult> => {
      if (!mayStart()) return { kind: 'withheld' };
      posted.push(url);
      return answered;
    };
    const slowPost = async (request: ListenerRequest) => {
      moment += moment < 1_000 ? 300 : 0; // the connection took that long, at first
      return post(request);
    };
    const closedGates: DeliveryQueue['closedGates'] = async (listenerIds) => {
      await queue.withdraw({ listenerId: closing.listenerId }); // meanwhile, by another process
      return queue.closedGates(listenerIds);
    };
    const worker = start({ queue: { ...queue, closedGates }, gates: workerGates(() => moment), post: slowPost });
    await until(async () => (await counts()).succeeded === 1, 'the open one');
    await worker.stop(100);
    expect(posted).to.deep.equal([open.hookUrl]);
  });

  it('records an outcome after an outage of its store, and does not post again', async () => {
    let posts = 0;
    const post = async () => {
      posts += 1;
      return answered;
    };
    let failures = 0;
    const record: DeliveryQueue['record'] = (outcomes, now) => {
      failures += 1;
      return failures < 4 ? Promise.reject(new StoreUnavailable('the disk is full')) : queue.record(outcomes, now);
    };
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    const worker = start({ queue: { ...queue, record }, post });
    await until(async () => (await counts()).succeeded === 1, 'the outcome');
    expect(posts).to.equal(1);
    await worker.stop(100);
  });

  it('makes no more attempts than it has slots while outcomes cannot be recorded, says so, and continues then', async () => {
    let posts = 0;
    const post = async () => {
      posts += 1;
      return answered;
    };
    const full = new StoreUnavailable('the disk is full');
    let isFull = true;
    let failures = 0;
    const record: DeliveryQueue['record'] = (outcomes, now) => {
      if (!isFull) return queue.record(outcomes, now);
      failures += 1;
      return Promise.reject(full);
    };
    const listener = queuedListener();
    await queue.enqueue(batchOf([listener]), Date.now());
    const worker = start({ queue: { ...queue, record }, post, concurrency: 4 });
    await until(() => failures > 0, 'the first failure');
    await queue.enqueue(batchOf([listener], 20), Date.now());
    worker.wake();
    await until(() => failures > 3, 'further failures');
    expect([posts, worker.status().error]).to.deep.equal([4, full]);
    isFull = false;
    await until(async () => (await counts()).succeeded === 21, 'all outcomes');
    expect([posts, worker.status().error]).to.deep.equal([21, undefined]);
    await worker.stop(100);
  });

  for (const [what, jumpMs] of [
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ] as const) {
    it(`goes on when the wall clock jumps an hour ${what}`, async () => {
      let offMs = 0;
      const clock = () => Date.now() + offMs;
      const worker = start({ clock });
      await queue.enqueue(batchOf([queuedListener({ hookUrl: 'https://example.com/1' })], 2), clock());
      await until(async () => (await counts()).succeeded === 2, 'those before it');
      offMs = jumpMs;
      await queue.enqueue(batchOf([queuedListener({ hookUrl: 'https://example.com/2' })], 2), clock());
      await until(async () => (await counts()).succeeded === 4, 'those after it');
      expect(worker.status().error).to.equal(undefined);
      await worker.stop(100);
    });
  }

  it('leases nothing for a host without a connection, and goes on with other hosts', async () => {
    const listeners = (host: string, count: number) =>
      Array.from({ length: count }, () => queuedListener({ hookUrl: `https://${host}/${randomUUID()}` }));
    await queue.enqueue(batchOf(listeners('stuck.example.com', 20)), Date.now());
    let stuck = 0;
    const post = ({ url }: ListenerRequest) => {
      if (!url.includes('stuck')) return Promise.resolve(answered);
      stuck += 1;
      return new Promise<PostResult>((resolve) => releases.push(() => resolve(answered)));
    };
    const releases: (() => void)[] = [];
    const worker = start({ post, perHost: 4 });
    await until(() => stuck === 3, 'its places to be taken');
    await queue.enqueue(batchOf(listeners('moving.example.com', 20)), Date.now());
    await until(async () => (await counts()).succeeded === 20, 'the deliveries to the other host');
    expect(stuck).to.equal(3);
    expect(
      (await queue.deliveries({ orgId: 'acme' })).deliveries.filter(({ attempts }) => attempts > 0).length,
    ).to.equal(20);
    await until(async () => {
      for (const release of releases.splice(0)) release();
      return (await counts()).succeeded === 40;
    }, 'the rest, once it moves');
    await worker.stop(100);
  });

  it('leases no more than its host has connections, so that it releases nothing', async () => {
    const listeners = Array.from({ length: 40 }, (_, index) =>
      queuedListener({ orgId: `org-${index % 4}`, hookUrl: `https://example.com/${index}` }),
    );
    for (const listener of listeners) await queue.enqueue(batchOf([listener], 5), Date.now());
    const kinds = new Map<Outcome['kind'], number>();
    const record: DeliveryQueue['record'] = (outcomes, now) => {
      for (const { kind } of outcomes) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      return queue.record(outcomes, now);
    };
    const post = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return answered;
    };
    const limits = { concurrency: 64, perListener: 16, perOrganisation: 32 };
    const worker = start({
      ...limits,
      queue: { ...queue, record },
      post,
      perHost: 8,
      pollMs: 60_000,
    });
    await until(async () => (await counts()).succeeded === 200, 'the deliveries');
    expect(Object.fromEntries(kinds)).to.deep.equal({ succeeded: 200 });
    await worker.stop(100);
  });

  it('keeps connections of a host for other organisations, however many listeners of one hang there', async () => {
    const at = (name: string, orgId: string) => queuedListener({ orgId, hookUrl: `https://example.com/${name}` });
    const hanging = Array.from({ length: 20 }, (_, index) => at(`hangs-${index}`, 'acme'));
    const post = async ({ url }: ListenerRequest) => (url.includes('hangs') ? held : answered);
    let letGo = (_: PostResult): void => {};
    const held = new Promise<PostResult>((resolve) => {
      letGo = resolve;
    });
    await queue.enqueue(batchOf(hanging, 2), Date.now());
    const worker = start({ post, perHost: 8 });
    await until(() => worker.status().underWay >= 6, 'places to be taken');
    await queue.enqueue(batchOf([at('healthy', 'globex')], 20), Date.now());
    await until(async () => (await counts()).succeeded === 20, 'the deliveries of the other organisation');
    letGo(answered);
    await until(async () => (await counts()).succeeded === 60, 'the rest');
    await worker.stop(100);
  });

  it('leaves capacity for other organisations', async () => {
    const mine = { orgId: 'globex', hookUrl: 'https://example.com/other' };
    await queue.enqueue(
      batchOf(
        Array.from({ length: 10 }, () => queuedListener({ hookUrl: `https://example.com/${randomUUID()}` })),
        3,
      ),
      Date.now(),
    );
    let most = 0;
    let now = 0;
    const post = async ({ url }: ListenerRequest): Promise<PostResult> => {
      if (url === mine.hookUrl) return answered;
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return answered;
    };
    const worker = start({ post, perOrganisation: 5 });
    await until(async () => (await counts()).succeeded === 30, 'the deliveries');
    expect(most).to.equal(5);
    await worker.stop(100);
  });

  it('requests no more than the limits of a listener and an organisation', async () => {
    const requests: object[] = [];
    const watched: DeliveryQueue = {
      ...queue,
      lease: (request) => {
        const { byListener, byOrganisation } = request.inFlight;
        requests.push({
          ...request,
          inFlight: { byListener: new Map(byListener), byOrganisation: new Map(byOrganisation) },
        });
        return queue.lease(request);
      },
    };
    const listener = queuedListener();
    await queue.enqueue(batchOf([listener]), Date.now());
    let answer = () => {};
    const post = () => new Promise<PostResult>((resolve) => (answer = () => resolve(answered)));
    const worker = start({ queue: watched, post, ratePerSecond: 5, perOrganisation: 7 });
    await until(() => requests.length > 1, 'a second request');
    expect(requests.at(-1)).to.deep.include({
      ratePerSecond: 5,
      perOrganisation: 7,
      limit: 9,
      inFlight: { byListener: new Map([[listener.listenerId, 1]]), byOrganisation: new Map([['acme', 1]]) },
    });
    answer();
    await worker.stop(1_000);
  });

  it('does not blame the listener for local failures, which use no attempt', async () => {
    const outcomes: Outcome[] = [];
    const watched: DeliveryQueue = {
      ...queue,
      record: (batch, now) => {
        outcomes.push(...batch);
        return queue.record(batch, now);
      },
    };
    const results: Record<string, PostResult> = {
      resolver: { kind: 'failed', error: 'resolver' },
      local: { kind: 'failed', error: 'local_network' },
      refused: { kind: 'failed', error: 'refused' },
      busy: { kind: 'answered', status: 429, retryAfter: '60' },
      elsewhere: { kind: 'answered', status: 302 },
    };
    const post = async ({ url }: ListenerRequest) => results[url.split('/').at(-1) ?? ''] ?? answered;
    await queue.enqueue(
      batchOf(Object.keys(results).map((path) => queuedListener({ hookUrl: `https://example.com/${path}` }))),
      Date.now(),
    );
    const began = Date.now();
    const worker = start({ queue: watched, post });
    const blamed = () => outcomes.flatMap((outcome) => ('byListener' in outcome ? [outcome] : []));
    const released = () => outcomes.flatMap((outcome) => (outcome.kind === 'released' ? [outcome.failure] : []));
    await until(() => blamed().length === 3 && released().length >= 2, 'the outcomes');
    expect(blamed().map(({ report, byListener }) => [report.error, byListener])).to.have.deep.members([
      ['refused', true],
      ['http_status', true],
      ['http_status', true],
    ]);
    expect(released()).to.include.members(['resolver', 'local_network']);
    const asked = outcomes.flatMap((outcome) => ('notBefore' in outcome ? [outcome.notBefore] : []));
    expect(asked).to.have.length(1);
    expect(asked[0]).to.be.within(began + 60_000, Date.now() + 60_000);
    await worker.stop(100);
  });

  it('uses the status and the Retry-After of an answer whose body was interrupted', async () => {
    const results: Record<string, PostResult> = {
      gone: { kind: 'failed', error: 'reset', status: 410 },
      busy: { kind: 'failed', error: 'reset', status: 429, retryAfter: '3600' },
      down: { kind: 'failed', error: 'timeout', status: 503, retryAfter: '3600' },
      fine: { kind: 'failed', error: 'reset', status: 200, retryAfter: '3600' },
    };
    const listeners = Object.keys(results).map((path) => queuedListener({ hookUrl: `https://example.com/${path}` }));
    const told: string[] = [];
    const worker = start({
      post: async ({ url }) => results[url.split('/').at(-1) ?? ''] ?? answered,
      onGone: async ({ hookUrl }) => void told.push(hookUrl),
    });
    await queue.enqueue(batchOf(listeners), Date.now());
    await until(
      async () => (await queue.deliveries({ orgId: 'acme' })).deliveries.every(({ attempts }) => attempts === 1),
      'the attempts',
    );
    expect(told).to.deep.equal(['https://example.com/gone']);
    const listed = (await queue.deliveries({ orgId: 'acme' })).deliveries;
    const rows = listeners.map((listener) => listed.find(({ listenerId }) => listenerId === listener.listenerId));
    expect(rows.map((row) => row?.state)).to.deep.equal(['exhausted', 'waiting', 'waiting', 'waiting']);
    expect(rows[0]).to.include({ lastStatus: 410, lastError: 'reset' });
    const states = await queue.listenerStates(listeners.map(({ listenerId }) => listenerId));
    const asked = listeners.map(({ listenerId }) => states.get(listenerId)?.health.notBefore !== undefined);
    expect(asked).to.deep.equal([false, true, true, false]);
    await worker.stop(100);
  });

  it('schedules a delivery that cannot be signed like any failure', async () => {
    await queue.enqueue(batchOf([queuedListener()]), Date.now());
    const worker = start({
      secretsOf: () => {
        throw new Error('no such key');
      },
    });
    await until(async () => (await queue.deliveries({ orgId: 'acme' })).deliveries[0]?.attempts === 1, 'the attempt');
    expect((await queue.deliveries({ orgId: 'acme' })).deliveries[0]).to.include({
      state: 'waiting',
      lastError: 'not_signed',
    });
    await worker.stop(100);
  });

  it('masks the listener’s URL in the kept part of an answer, and in its headers', async () => {
    const listener = queuedListener({ hookUrl: 'https://hooks.example.com/hooks/catch/s3cr3t' });
    const answer = 'Cannot POST /hooks/catch/s3cr3t';
    const headers = `location: ${listener.hookUrl}?again`;
    const worker = start({ post: async () => ({ kind: 'answered', status: 404, answer, headers }) });
    await queue.enqueue(batchOf([listener]), Date.now());
    worker.wake();
    const listed = async () => (await queue.deliveries({ orgId: listener.orgId })).deliveries[0];
    await until(async () => (await listed())?.attempts === 1, 'the attempt');
    const attempts = await logOf(queue, listener.orgId, (await listed())?.id ?? '');
    expect(attempts.map((attempt) => attempt.answer)).to.deep.equal(['Cannot POST …']);
    expect(attempts[0]?.headers)
      .to.match(/^location: /)
      .and.not.to.include('s3cr3t');
    await worker.stop(100);
  });

  describe('of a listener that answers 410', () => {
    const gone: PostResult = { kind: 'answered', status: 410 };

    it('removes it after any failures, and posts nothing to it meanwhile', async () => {
      const listener = queuedListener();
      const other = queuedListener({ hookUrl: 'https://example.com/other' });
      let leases = 0;
      const watched: DeliveryQueue = {
        ...queue,
        lease: (request) => {
          leases += 1;
          return queue.lease(request);
        },
      };
      const posted: string[] = [];
      const post = async ({ url, mayStart }: ListenerRequest): Promise<PostResult> => {
        if (!mayStart()) return { kind: 'withheld' };
        posted.push(url);
        return url === listener.hookUrl ? gone : answered;
      };
      let tries = 0;
      const onGone = async ({ listenerId }: { listenerId: string }) => {
        tries += 1;
        if (tries <= 2) throw new StoreUnavailable('gone fishing');
        await queue.withdraw({ listenerId });
      };
      await queue.enqueue(batchOf([listener], 5), Date.now());
      const worker = start({ queue: watched, post, onGone, perListener: 1, pollMs: 60_000 });
      await until(() => tries === 1, 'the first try');
      await queue.enqueue(batchOf([listener, other], 2), Date.now());
      worker.wake();
      await until(async () => (await counts()).succeeded === 2, 'the other listener to have its deliveries');
      await until(async () => (await counts()).cancelled >= 6, 'what waited to be cancelled');
      expect(posted.filter((url) => url === listener.hookUrl)).to.have.length(1);
      const { exhausted, cancelled } = await counts();
      expect(exhausted + cancelled, 'a removal that comes before the outcome cancels this one too').to.equal(7);
      expect(tries).to.equal(3);
      expect(leases, 'what is released is not leased again and again').to.be.below(20);
      await worker.stop(100);
      expect(logged).to.deep.equal([
        'removing a listener that is gone is failing',
        'removing a listener that is gone has recovered',
      ]);
    });

    it('releases its leased deliveries that were not posted, without using an attempt', async () => {
      const listener = queuedListener();
      const answers: ((result: PostResult) => void)[] = [];
      const post = ({ mayStart }: ListenerRequest) =>
        new Promise<PostResult>((resolve) => {
          if (answers.length === 0) answers.push(resolve);
          else answers.push((result) => resolve(mayStart() ? result : { kind: 'withheld' }));
        });
      const onGone = () => Promise.reject(new StoreUnavailable('gone fishing'));
      await queue.enqueue(batchOf([listener], 3), Date.now());
      const worker = start({ post, onGone });
      await until(() => answers.length === 3, 'the connections');
      answers[0]?.(gone);
      await until(async () => (await counts()).exhausted === 1, 'the outcome');
      for (const answer of answers.slice(1)) answer(answered);
      await until(() => worker.status().underWay === 0, 'the others to be released');
      await worker.stop(100);
      const free = await queue.lease(leaseRequest({ now: Date.now() }));
      expect(free.deliveries.map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
      expect(answers).to.have.length(3);
    });

    it('stops trying to remove it once it stops', async () => {
      let tries = 0;
      const onGone = async () => {
        tries += 1;
        throw new StoreUnavailable('gone fishing');
      };
      await queue.enqueue(batchOf([queuedListener()]), Date.now());
      const worker = start({ post: async () => gone, onGone });
      await until(() => tries === 1, 'the first try');
      await worker.stop(100);
      const made = tries;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(tries).to.equal(made);
    });

    it('removes it, though a stop interrupted the rest of its answer', async () => {
      let breakOff = (): void => {};
      const broken = new Promise<void>((resolve) => {
        breakOff = resolve;
      });
      const destroy = async () => breakOff();
      const post = async (): Promise<PostResult> => {
        await broken;
        return { kind: 'failed', error: 'reset', status: 410 };
      };
      const onGone = async ({ listenerId }: { listenerId: string }) => void (await queue.withdraw({ listenerId }));
      await queue.enqueue(batchOf([queuedListener()], 2), Date.now());
      const worker = start({ post, onGone, destroy, perListener: 1 });
      await until(() => worker.status().underWay === 1, 'the post');
      await worker.stop(0);
      expect(await counts()).to.include({ waiting: 0 });
    });

    it('lets its removal end when it stops', async () => {
      let removing = false;
      let removed = false;
      const onGone = async () => {
        removing = true;
        await new Promise((resolve) => setTimeout(resolve, 50));
        removed = true;
      };
      await queue.enqueue(batchOf([queuedListener()]), Date.now());
      const worker = start({ post: async () => gone, onGone });
      await until(() => removing, 'its removal to begin');
      await worker.stop(0);
      expect(removed).to.equal(true);
    });
  });
});
