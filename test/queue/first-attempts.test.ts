import { expect } from 'chai';
import fc from 'fast-check';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import type { NewDelivery } from '../../src/queue/delivery.js';
import { checkpointsOf, type FanOutBatch, type FanOutCheckpoint } from '../../src/queue/fan-out-batch.js';
import { FirstAttempts } from '../../src/queue/first-attempts/first-attempts.js';
import { asReadOf, type LeasedBatch, type LeasedDelivery, type Outcome } from '../../src/queue/leasing.js';
import { type FirstDelivery, messageName, type StoredQueue } from '../../src/queue/stored-queue.js';
import { LeaseLost } from '../../src/stores/leases/leases.js';
import {
  batchOf,
  emptyBatch,
  type LeaseFields,
  leaseRequest,
  queuedListener,
} from '../support/deliveries/delivery-batches.js';

const listeners = ['one', 'other', 'ordered'].map((listenerId) =>
  queuedListener({ listenerId, ordered: listenerId === 'ordered' }),
);
const time = { now: 1_000, queueNow: 1_000 };
const asRead = asReadOf({ attempts: 0, requests: 0 });
const report = { startedAt: 1_000, durationMs: 1 };
const reader = 'fan-out';

/** An answer of the store that comes when the test lets it. */
function answer() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}

type Row = Pick<NewDelivery, 'id' | 'orgId' | 'eventId' | 'listenerId'> & { hasEnded: boolean };

const isOrdered = ({ listenerId }: Pick<Row, 'listenerId'>): boolean => listenerId === 'ordered';

/** State that the instances share. `kept`: the checkpoint of the fan-out. */
const newWorld = () => ({
  rows: new Map<string, Row>(),
  keptBack: new Set<string>(),
  isBroken: false,
  kept: { position: 0n, term: 0n },
  /** Terms of the lease so far. */
  terms: 0n,
  ends: new Set<bigint>(),
});
type World = ReturnType<typeof newWorld>;

/** The store as an instance has it open: each call takes two steps of the scheduler, until it works and until it has answered. */
function storeOf(scheduler: fc.Scheduler, world: World): StoredQueue {
  const { rows } = world;
  const underWay = new Set<string>();

  async function step<Result>(work: () => Result): Promise<Result> {
    await scheduler.schedule(Promise.resolve());
    if (world.isBroken) throw new StoreUnavailable('down');
    const result = work();
    await scheduler.schedule(Promise.resolve());
    return result;
  }

  function insert(row: Omit<Row, 'hasEnded'>, { hasEnded = false, isUnderWay = false } = {}): void {
    const found = rows.get(row.id) ?? { ...row, hasEnded };
    rows.set(row.id, { ...found, hasEnded: found.hasEnded || hasEnded });
    if (isUnderWay) underWay.add(row.id);
  }

  function insertAll(first: readonly FirstDelivery[]): void {
    for (const { delivery, isUnderWay } of first) insert(delivery, { isUnderWay });
  }

  function move(checkpoints: readonly FanOutCheckpoint[]): void {
    for (const { position, term = 0n } of checkpoints) {
      if (term < world.kept.term) throw new LeaseLost(reader, term);
      world.kept = { position: position > world.kept.position ? position : world.kept.position, term };
    }
  }

  /** Rows that are not under way; of an ordered listener the first alone, in the order of the events. */
  function waiting(): readonly Row[] {
    const left = [...rows.values()].filter(({ hasEnded }) => !hasEnded);
    const [first] = left.filter(isOrdered).sort((one, other) => positionOf(one) - positionOf(other));
    return left.filter((row) => !underWay.has(row.id) && (!isOrdered(row) || row === first));
  }

  function leaseRows(leased: readonly Row[]): LeasedBatch {
    for (const { id } of leased) underWay.add(id);
    const deliveries = leased.map(({ hasEnded: _, ...row }) => {
      const listener = listeners.find(({ listenerId }) => listenerId === row.listenerId);
      return { ...listener, ...row, asRead } as unknown as LeasedDelivery; // nothing looks at its body
    });
    return { deliveries, nextDueAt: undefined };
  }

  const store: Partial<StoredQueue> = {
    facts: () =>
      step(() => ({
        listeners: new Map(
          listeners.map((listener) => {
            const { listenerId } = listener;
            const hasRows = [...rows.values()].some((row) => row.listenerId === listenerId && !row.hasEnded);
            const hasDue = isOrdered(listener) ? hasRows : waiting().some((row) => row.listenerId === listenerId);
            const isReady = !world.keptBack.has(listenerId) && !hasDue;
            return [listenerId, { ...listener, isReady }];
          }),
        ),
        known: new Set([...rows.values()].map(messageName)),
        firstDue: waiting().length > 0 ? 0 : Number.POSITIVE_INFINITY,
        seenAt: 0,
      })),
    enqueue: (batch) =>
      step(() => {
        for (const delivery of batch.deliveries) insert(delivery);
        move(checkpointsOf(batch));
        return { added: batch.deliveries.length };
      }),
    lease: ({ listenerLimits }) =>
      step(() => {
        const passedOver = ({ listenerId }: Row) => world.keptBack.has(listenerId) || listenerLimits?.has(listenerId);
        return leaseRows(waiting().filter((row) => !passedOver(row)));
      }),
    leaseNextOf: (listenerIds) =>
      step(() => leaseRows(waiting().filter((row) => isOrdered(row) && listenerIds.includes(row.listenerId)))),
    record: (outcomes, _, first) =>
      step(() => {
        const succeeded = new Set(outcomes.flatMap(({ id, kind }) => (kind === 'succeeded' ? [id] : [])));
        insertAll(first.filter(({ delivery }) => !succeeded.has(delivery.id)));
        for (const { delivery } of first) if (succeeded.has(delivery.id)) insert(delivery, { hasEnded: true });
        for (const { id } of outcomes) {
          const row = rows.get(id);
          if (underWay.delete(id) && row && succeeded.has(id)) insert(row, { hasEnded: true });
        }
        return { counted: outcomes.length, troubled: [] };
      }),
    restrained: (asked) =>
      step(() => {
        const closed = asked.map(({ listenerId }) => listenerId).filter((id) => world.keptBack.has(id));
        return { closed: new Set(closed), seenAt: 0 };
      }),
    write: (first) => step(() => insertAll(first)),
    moveCheckpoints: (checkpoints) => step(() => move(checkpoints)),
    positions: () => step(() => new Map([[reader, world.kept.position]])),
    postpone: () => step(() => undefined),
    closedGates: () => step(() => new Set<string>()),
    takeForeignWrites: () => false,
    close: async () => undefined,
  };
  return store as StoredQueue;
}

const positionOf = ({ eventId }: Pick<Row, 'eventId'>): number => Number(/^event-(\d+)-0$/.exec(eventId)?.[1]);

/** Expects that all deliveries of earlier events have ended before one of the ordered listener is leased. */
function expectInOrder(leased: readonly LeasedDelivery[], { rows, ends }: World): void {
  const ordered = leased.filter(isOrdered).map(positionOf);
  expect(ordered).to.have.length.at.most(1);
  const ended = new Set([...rows.values()].flatMap((row) => (isOrdered(row) && row.hasEnded ? [positionOf(row)] : [])));
  const before = Array.from({ length: (ordered[0] ?? 1) - 1 }, (_, index) => index + 1);
  expect(before.filter((position) => !ended.has(position) && !ends.has(BigInt(position)))).to.deep.equal([]);
}

/** One event at each position from 1: flow events, and ends of listeners that get nothing. */
type History = { length: bigint; ends: Set<bigint> };

const eventAt = (position: bigint, { ends }: History): FanOutBatch => {
  if (ends.has(position)) return { ...emptyBatch, ended: ['gone'] };
  const batch = batchOf(listeners, 1, `event-${position}`);
  return { ...batch, messages: batch.messages.map((message) => ({ ...message, position })) };
};

function newLease(world: World) {
  const ending = new AbortController();
  let isHeld = true;
  world.terms += 1n;
  const expire = () => {
    isHeld = false;
  };
  return {
    term: world.terms,
    lease: { isHeld: () => isHeld, signal: ending.signal, has: () => true },
    end: () => ending.abort(),
    expire,
    lose(): void {
      expire();
      ending.abort();
    },
  };
}

/**
 * An instance that holds the partition: its fan-out, worker and recorder repeat a call that fails, and each makes one at a time. The fan-out
 * begins after the checkpoint.
 */
function instanceOn(scheduler: fc.Scheduler, world: World, history: History) {
  const queue = new FirstAttempts(storeOf(scheduler, world));
  let partition = newLease(world);
  let position: bigint | undefined;
  const inFlight: LeasedDelivery[] = [];
  const unrecorded: Outcome[] = [];
  const busy = new Set<string>();

  function oneAtATime(name: string, call: () => Promise<void>): void {
    if (busy.has(name)) return;
    busy.add(name);
    void call()
      .catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable || error instanceof LeaseLost)) throw error;
      })
      .finally(() => busy.delete(name));
  }

  function end(outcomeOf: (one: LeasedDelivery) => Outcome): void {
    const one = inFlight.shift();
    if (one) unrecorded.push(outcomeOf(one));
    oneAtATime('record', async () => {
      for (; unrecorded[0]; unrecorded.shift()) await queue.record([unrecorded[0]], time);
    });
  }

  return {
    fanOut: () =>
      oneAtATime('fan-out', async () => {
        const { term, lease } = partition;
        let next = position ?? (await queue.positions([reader])).get(reader) ?? 0n;
        for (; next < history.length && !lease.signal.aborted; next += 1n) {
          const checkpoint = { reader, position: next + 1n, term, lease, follows: true as const };
          await scheduler.schedule(Promise.resolve()); // its listeners are read
          await queue.enqueue({ ...eventAt(next + 1n, history), checkpoint }, time);
        }
        position = lease === partition.lease ? next : undefined;
      }),
    lease: (limits: LeaseFields = {}) =>
      oneAtATime('lease', async () => {
        const { deliveries } = await queue.lease(leaseRequest({ now: time.now, ...limits }));
        inFlight.push(...deliveries);
        if (partition.lease.isHeld()) expectInOrder(deliveries, world);
      }),
    succeed: () => end(({ id, asRead }) => ({ id, asRead, kind: 'succeeded', report })),
    fail: () => end(({ id, asRead }) => ({ id, asRead, kind: 'failed', report, byListener: true, retryAt: 0 })),
    /** Reads as a list of deliveries does. */
    read: () => void queue.written(async () => undefined).catch(() => undefined),
    keep: () => void queue.positions([reader]).catch(() => undefined),
    /** The interval at which it writes what is in memory. */
    tick: () => void (queue as unknown as { writeOld: () => Promise<void> }).writeOld().catch(() => undefined),
    release(): void {
      partition.end();
      oneAtATime('hand over', () => queue.handOver(() => true, 2_000));
    },
    /** The lease is over by the clock, as after a freeze, before anything was told. */
    expire: () => partition.expire(),
    /** Another instance may have the partition; the calls under way may still work. */
    lose: () => partition.lose(),
    holdAgain(): void {
      partition.lose();
      partition = newLease(world);
      position = undefined;
    },
    close: () => queue.close(),
  };
}

/** One instance after the other, each from the checkpoint that it finds. */
function instancesOn(scheduler: fc.Scheduler, world: World, clock: { now: number }) {
  const history: History = { length: 0n, ends: world.ends };
  const all = [instanceOn(scheduler, world, history)];
  const current = () => all.at(-1) as ReturnType<typeof instanceOn>;
  const actions = {
    event(): void {
      history.length += 1n;
      current().fanOut();
    },
    endOfListener(): void {
      history.length += 1n;
      history.ends.add(history.length);
      current().fanOut();
    },
    lease: () => current().lease(),
    leaseNext: () => current().lease({ onlyNextOf: ['ordered'] }),
    /** All listeners have as many in flight as they may. What the enqueue has read is used up. */
    leaseNone: () => current().lease({ listenerLimits: new Map(listeners.map(({ listenerId }) => [listenerId, 0])) }),
    succeed: () => current().succeed(),
    fail: () => current().fail(),
    read: () => current().read(),
    keep: () => current().keep(),
    release: () => current().release(),
    tick: () => current().tick(),
    expire: () => current().expire(),
    holdAgain(): void {
      current().holdAgain();
      current().fanOut();
    },
    takeOver(): void {
      current().expire();
      all.push(instanceOn(scheduler, world, history));
      current().fanOut();
    },
    /** The preceding instance notices its loss only now. */
    loseBefore: () => all.at(-2)?.lose(),
    succeedBefore: () => all.at(-2)?.succeed(),
    failBefore: () => all.at(-2)?.fail(),
    fanOutBefore: () => all.at(-2)?.fanOut(),
    leaseBefore: () => all.at(-2)?.lease(),
    tickBefore: () => all.at(-2)?.tick(),
    /** Facts that the enqueue has read are too old for the lease. */
    later: () => {
      clock.now += 150;
    },
    keepBack: () => world.keptBack.add('one'),
    allow: () => world.keptBack.clear(),
    breakDown: () => {
      world.isBroken = true;
    },
    mend: () => {
      world.isBroken = false;
    },
  };
  return { actions, all, current, history };
}

type Action = keyof ReturnType<typeof instancesOn>['actions'];

describe('first attempts from memory', () => {
  const clock = { now: 0 };
  const { now } = performance;
  before(() => {
    performance.now = () => clock.now;
  });
  after(() => {
    performance.now = now;
  });

  const anyOf = (...actions: Action[]) =>
    fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat({ max: 4 })), { maxLength: 20 });
  const ofOne = [
    'event',
    'endOfListener',
    'lease',
    'leaseNext',
    'leaseNone',
    'succeed',
    'fail',
    'read',
    'keep',
    'tick',
    'later',
    'keepBack',
    'allow',
  ] as const;
  const failing = ['breakDown', 'mend'] as const;
  const ofLease = ['release', 'takeOver', 'expire', 'holdAgain'] as const;
  const ofTheOneBefore = [
    'loseBefore',
    'succeedBefore',
    'failBefore',
    'fanOutBefore',
    'leaseBefore',
    'tickBefore',
  ] as const;

  async function loseNone(scheduler: fc.Scheduler, chosen: readonly (readonly [Action, number])[]): Promise<void> {
    const world = newWorld();
    const { actions, all, current, history } = instancesOn(scheduler, world, clock);
    // An event is in memory, and what its enqueue has read is used up.
    for (const action of ['event', 'leaseNone'] as const) {
      actions[action]();
      await scheduler.waitIdle();
    }
    for (const [action, steps] of chosen) {
      actions[action]();
      await scheduler.waitNext(Math.min(steps, scheduler.count()));
    }
    actions.mend();
    actions.allow();
    if (chosen.some(([action]) => action === 'release' || action === 'expire')) actions.takeOver();
    const owed = (Number(history.length) - history.ends.size) * listeners.length;
    for (let round = 0; round < 3 + 3 * owed; round += 1) {
      current().fanOut();
      current().lease();
      current().succeed();
      current().tick(); // forgets what it had before it lost its lease
      await scheduler.waitIdle();
    }
    const closed = Promise.all(all.map((instance) => instance.close()));
    await scheduler.waitIdle();
    await closed;
    const left = [...world.rows.values()].filter(({ hasEnded }) => !hasEnded);
    expect({ rows: world.rows.size, left }).to.deep.equal({ rows: owed, left: [] });
  }

  it('lose no delivery, in whatever order the store answers', async () => {
    await fc.assert(fc.asyncProperty(fc.scheduler(), anyOf(...ofOne, ...failing), loseNone), { numRuns: 700 });
  });

  it('record a success also if the lease is lost while another outcome waits for a write of its delivery', async () => {
    const world = newWorld();
    const store = storeOf({ schedule: (task: Promise<unknown>) => task } as fc.Scheduler, world);
    const rowsWritten = answer();
    const queue = new FirstAttempts({
      ...store,
      write: async (first) => {
        await rowsWritten.promise;
        await store.write(first);
      },
    });
    const { lease, term, lose } = newLease(world);
    const checkpoint = { reader, position: 1n, term, lease, follows: true as const };
    await queue.enqueue({ ...eventAt(1n, { length: 1n, ends: new Set() }), checkpoint }, time);
    const { deliveries } = await queue.lease(leaseRequest({ now: time.now }));
    const ofOther = deliveries.filter(({ listenerId }) => listenerId === 'other');

    const read = queue.written(
      async () => undefined,
      ({ listenerId }) => listenerId === 'other',
    );
    const outcomes = deliveries.map(({ id, asRead }) => ({ id, asRead, kind: 'succeeded', report }) as const);
    const recorded = queue.record(outcomes, time);
    lose();
    const handedOver = queue.handOver(() => true, 2_000);
    rowsWritten.resolve();
    await Promise.all([read, recorded, handedOver]);
    await queue.close();

    expect(ofOther).to.have.length(1);
    expect([...world.rows.values()].map(({ listenerId, hasEnded }) => [listenerId, hasEnded])).to.have.deep.members(
      listeners.map(({ listenerId }) => [listenerId, true]),
    );
  });

  describe('with an ordered listener', () => {
    const asRequested = () => leaseRequest({ now: time.now });
    let leaseRows: ReturnType<typeof answer>;
    let writeRows: ReturnType<typeof answer>;
    let queue: FirstAttempts;
    let first: readonly LeasedDelivery[];

    /** Two events are in memory, and the first deliveries of the listeners under way. Later reads and writes of rows wait. */
    beforeEach(async () => {
      const store = storeOf({ schedule: (task: Promise<unknown>) => task } as fc.Scheduler, newWorld());
      leaseRows = answer();
      writeRows = answer();
      queue = new FirstAttempts({
        ...store,
        lease: (request, since) => leaseRows.promise.then(() => store.lease(request, since)),
        write: (some) => writeRows.promise.then(() => store.write(some)),
      });
      const { lease, term } = newLease(newWorld());
      for (const position of [1n, 2n]) {
        const checkpoint = { reader, position, term, lease, follows: true as const };
        await queue.enqueue({ ...eventAt(position, { length: 2n, ends: new Set() }), checkpoint }, time);
      }
      first = (await queue.lease(asRequested())).deliveries;
      expect(first.filter(isOrdered).map(({ eventId }) => eventId)).to.deep.equal(['event-1-0']);
    });

    afterEach(async () => {
      leaseRows.resolve();
      writeRows.resolve();
      await queue.close();
    });

    const record = () =>
      queue.record(
        first.filter(isOrdered).map(({ id, asRead }) => ({ id, asRead, kind: 'succeeded', report }) as const),
        time,
      );

    it('leave its next delivery to the request that follows the outcome, and ask for no other look', async () => {
      const all = queue.lease(asRequested());
      await record();
      leaseRows.resolve();
      expect(await all).to.deep.include({ deliveries: [], nextDueAt: undefined });
      const { deliveries } = await queue.lease(leaseRequest({ now: time.now, onlyNextOf: ['ordered'] }));
      expect(deliveries.map(({ eventId }) => eventId)).to.deep.equal(['event-2-0']);
    });

    it('lease its next delivery although a write of it fails meanwhile', async () => {
      await record();
      const read = queue.written(async () => undefined, isOrdered).catch((error: unknown) => error);
      const all = queue.lease(asRequested());
      writeRows.reject(new StoreUnavailable('down'));
      expect(await read).to.be.an.instanceOf(StoreUnavailable);
      leaseRows.resolve();
      const { deliveries } = await all;
      expect(deliveries.map(({ eventId }) => eventId)).to.deep.equal(['event-2-0']);
    });
  });

  it('write a delivery of an ordered listener behind one whose write ends while the facts are read', async () => {
    const store = storeOf({ schedule: (task: Promise<unknown>) => task } as fc.Scheduler, newWorld());
    const [rowsWritten, factsAnswered] = [answer(), answer()];
    let isDelayed = false;
    const queue = new FirstAttempts({
      ...store,
      write: (some) => rowsWritten.promise.then(() => store.write(some)),
      async facts(batch, queueNow) {
        const facts = await store.facts(batch, queueNow);
        if (isDelayed) await factsAnswered.promise;
        return facts;
      },
    });
    const { lease, term } = newLease(newWorld());
    const enqueue = (position: bigint) => {
      const checkpoint = { reader, position, term, lease, follows: true as const };
      return queue.enqueue({ ...eventAt(position, { length: 2n, ends: new Set() }), checkpoint }, time);
    };
    await enqueue(1n);
    isDelayed = true;
    const read = queue.written(async () => undefined, isOrdered);
    const enqueued = enqueue(2n);
    await new Promise((resolve) => setImmediate(resolve));
    rowsWritten.resolve();
    await read;
    factsAnswered.resolve();
    await enqueued;
    const { deliveries } = await queue.lease(leaseRequest({ now: time.now }));
    await queue.close();
    expect(deliveries.filter(isOrdered).map(({ eventId }) => eventId)).to.deep.equal(['event-1-0']);
  });

  it('lose no delivery where another instance takes over, while calls of the one before are under way', async () => {
    const actions = anyOf(...ofOne, ...failing, ...ofLease, ...ofTheOneBefore);
    await fc.assert(fc.asyncProperty(fc.scheduler(), actions, loseNone), { numRuns: 700 });
  });
});
