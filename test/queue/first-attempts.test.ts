import { expect } from 'chai';
import fc from 'fast-check';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import { FirstAttempts } from '../../src/queue/first-attempts.js';
import { type FanOutBatch, type LeasedDelivery, leaseToken, type Outcome } from '../../src/queue/leasing.js';
import type { FirstDelivery, StoredQueue } from '../../src/queue/stored-queue.js';
import { type LeaseFields, leaseRequest, queuedListener } from '../support/deliveries/delivery-batches.js';
import { eventFor } from '../support/deliveries/first-attempts.js';

const listeners = ['one', 'other'].map((listenerId) => queuedListener({ listenerId }));
const time = { now: 1_000, queueNow: 1_000 };
const lease = leaseToken({ attempts: 0, requests: 0 });
const report = { startedAt: 1_000, durationMs: 1 };

type Ids = { id: string; listenerId: string };

const listenerOf = ({ listenerId }: Ids) => listeners.find((listener) => listener.listenerId === listenerId);

/** The rows of a store, each call of which takes two steps of the scheduler: until it works, and until it has answered. */
function storeOf(scheduler: fc.Scheduler) {
  const rows = new Map<string, Ids & { hasEnded: boolean }>();
  const underWay = new Set<string>();
  const world = { rows, underWay, keptBack: new Set<string>(), isBroken: false };

  async function step<Result>(work: () => Result): Promise<Result> {
    await scheduler.schedule(Promise.resolve());
    if (world.isBroken) throw new StoreUnavailable('down');
    const result = work();
    await scheduler.schedule(Promise.resolve());
    return result;
  }

  function insert({ id, listenerId }: Ids, fields: { hasEnded: boolean; isUnderWay: boolean }): void {
    if (!rows.has(id)) rows.set(id, { id, listenerId, hasEnded: fields.hasEnded });
    if (fields.isUnderWay) underWay.add(id);
  }

  const waiting = () => [...rows.values()].filter(({ id, hasEnded }) => !hasEnded && !underWay.has(id));
  const insertAll = (first: readonly FirstDelivery[]) => {
    for (const { delivery, isUnderWay } of first) insert(delivery, { hasEnded: false, isUnderWay });
  };
  const store: Partial<StoredQueue> = {
    facts: () =>
      step(() => ({
        listeners: new Map(
          listeners.map((listener) => {
            const { listenerId } = listener;
            const isReady = !world.keptBack.has(listenerId) && waiting().every((row) => row.listenerId !== listenerId);
            return [listenerId, { ...listener, isReady }];
          }),
        ),
        known: new Set<string>(),
        firstDue: waiting().length > 0 ? 0 : Number.POSITIVE_INFINITY,
        seenAt: 0,
      })),
    enqueue: ({ deliveries }) =>
      step(() => {
        for (const delivery of deliveries) insert(delivery, { hasEnded: false, isUnderWay: false });
        return { added: deliveries.length };
      }),
    lease: ({ listenerLimits }) =>
      step(() => {
        const passedOver = ({ listenerId }: Ids) => world.keptBack.has(listenerId) || listenerLimits?.has(listenerId);
        const leased = waiting().filter((row) => !passedOver(row));
        for (const { id } of leased) underWay.add(id);
        return {
          deliveries: leased.map((row) => ({ ...listenerOf(row), ...row, lease }) as unknown as LeasedDelivery),
          nextDueAt: undefined,
        };
      }),
    record: (outcomes, _, first) =>
      step(() => {
        const succeeded = new Set(outcomes.flatMap(({ id, kind }) => (kind === 'succeeded' ? [id] : [])));
        insertAll(first.filter(({ delivery }) => !succeeded.has(delivery.id)));
        for (const { delivery } of first.filter(({ delivery }) => succeeded.has(delivery.id))) {
          insert(delivery, { hasEnded: true, isUnderWay: false });
        }
        for (const { id } of outcomes) {
          const row = rows.get(id);
          if (row && underWay.delete(id) && succeeded.has(id)) row.hasEnded = true;
        }
        return { counted: outcomes.length, troubled: [] };
      }),
    restrained: (asked) =>
      step(() => {
        const closed = asked.map(({ listenerId }) => listenerId).filter((id) => world.keptBack.has(id));
        return { closed: new Set(closed), seenAt: 0 };
      }),
    write: (first) => step(() => insertAll(first)),
    keep: () => step(() => undefined),
    positions: () => step(() => new Map()),
    changedOutside: () => false,
    close: async () => undefined,
  };
  return { store: store as StoredQueue, world };
}

/** An instance whose fan-out, worker and recorder repeat a call that fails, and make one lease and one record at a time. */
function instanceOn({ store, world }: ReturnType<typeof storeOf>) {
  const queue = new FirstAttempts(store);
  const inFlight: LeasedDelivery[] = [];
  const unrecorded: Outcome[] = [];
  const toEnqueue: FanOutBatch[] = [];
  const busy = new Set<string>();
  const oneAtATime = (name: string, call: () => Promise<void>) => {
    if (busy.has(name)) return;
    busy.add(name);
    void call()
      .catch((error: unknown) => expect(error).to.be.instanceOf(StoreUnavailable))
      .finally(() => busy.delete(name));
  };
  let events = 0;
  const actions = {
    event: () => {
      events += 1;
      toEnqueue.push(eventFor(listeners, `event-${events}`));
      actions.enqueue();
    },
    enqueue: () =>
      oneAtATime('enqueue', async () => {
        for (; toEnqueue[0]; toEnqueue.shift()) await queue.enqueue(toEnqueue[0], time);
      }),
    lease: (limits: LeaseFields = {}) =>
      oneAtATime('lease', async () => {
        inFlight.push(...(await queue.lease(leaseRequest({ now: time.now, ...limits }))).deliveries);
      }),
    /** Both listeners have as many in flight as they may. What the enqueue has read is used up. */
    leaseNone: () => actions.lease({ listenerLimits: new Map(listeners.map(({ listenerId }) => [listenerId, 0])) }),
    succeed: () => actions.end((one) => ({ id: one.id, lease: one.lease, kind: 'succeeded', report })),
    fail: () =>
      actions.end((one) => ({ id: one.id, lease: one.lease, kind: 'failed', report, byListener: true, retryAt: 0 })),
    end(outcomeOf: (one: LeasedDelivery) => Outcome) {
      const one = inFlight.shift();
      if (one) unrecorded.push(outcomeOf(one));
      oneAtATime('record', async () => {
        for (; unrecorded[0]; unrecorded.shift()) await queue.record([unrecorded[0]], time);
      });
    },
    read: () => void queue.written(async () => undefined).catch(() => undefined),
    keepBack: () => world.keptBack.add('one'),
    release: () => world.keptBack.clear(),
    breakDown: () => {
      world.isBroken = true;
    },
    mend: () => {
      world.isBroken = false;
    },
  };
  return { ...actions, close: () => queue.close(), owed: () => events * listeners.length };
}

const actions = [
  'event',
  'lease',
  'leaseNone',
  'succeed',
  'fail',
  'read',
  'keepBack',
  'release',
  'breakDown',
  'mend',
] as const;

describe('first attempts from memory', () => {
  it('lose no delivery, however the calls of the store come in between', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat({ max: 4 })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), steps, async (scheduler, chosen) => {
        const stored = storeOf(scheduler);
        const instance = instanceOn(stored);
        // An event is in memory, and its listeners are not known any more.
        for (const action of ['event', 'leaseNone'] as const) {
          instance[action]();
          await scheduler.waitIdle();
        }
        for (const [action, then] of chosen) {
          instance[action]();
          await scheduler.waitNext(Math.min(then, scheduler.count()));
        }
        instance.mend();
        instance.release();
        for (let round = 0; round < 3 + 3 * instance.owed(); round += 1) {
          instance.enqueue();
          instance.lease();
          instance.succeed();
          await scheduler.waitIdle();
        }
        const closed = instance.close();
        await scheduler.waitIdle();
        await closed;
        const left = [...stored.world.rows.values()].filter(({ hasEnded }) => !hasEnded);
        expect({ rows: stored.world.rows.size, left }).to.deep.equal({ rows: instance.owed(), left: [] });
      }),
      { numRuns: 1_500 },
    );
  });
});
