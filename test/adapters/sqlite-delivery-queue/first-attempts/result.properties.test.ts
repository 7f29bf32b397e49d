import { mock } from 'node:test';
import { expect } from 'chai';
import fc from 'fast-check';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../../src/queue/delivery-queue.js';
import { CheckpointLost, type FanOutBatch } from '../../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery, LeaseRequest } from '../../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../../src/queue/sqlite/sqlite-delivery-queue.js';
import {
  batchOf,
  emptyBatch,
  enqueueAndLease,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { comingAgain, reader } from '../../../support/deliveries/first-attempts.js';
import { rejection } from '../../../support/rejection.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** A queue, another process beside it, and what the queue has under lease. */
type Side = {
  isFromMemory: boolean;
  queue: DeliveryQueue;
  beside: DeliveryQueue;
  leased: LeasedDelivery[];
};

const listener = fc.nat(2);
const count = fc.integer({ min: 1, max: 4 });
const how = fc.constantFrom('succeeded', 'failed', 'exhausted', 'released');
const change = fc.constantFrom(
  ...['pause', 'resume', 'close', 'redeliver', 'purge', 'hand over again', 'time passes', 'count'],
  ...['another process enqueues', 'another process pauses', 'another process closes', 'one of several fails'],
);

/** Next step; most often deliveries are enqueued, are leased and end. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('enqueue'), listener, count }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('enqueue and lease'), listener, count }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('lease'), listener, count }) },
  { weight: 6, arbitrary: fc.record({ kind: how, listener, count }) },
  { weight: 6, arbitrary: fc.record({ kind: change, listener, count }) },
);

/** Retries are due only after all steps, so that what is due comes in the order in which it was enqueued. */
const afterAll = 1_000_000;
const states = ['held', 'exhausted', 'succeeded'] as const;

describe('a queue with first attempts from memory, on SQLite', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('has the same result as one that leases rows alone', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const listeners: QueuedListener[] = [
        queuedListener(),
        queuedListener(),
        queuedListener({ orgId: 'other', ordered: true }),
      ];
      const sides = [open(true), open(false)] as const;
      let batches: readonly FanOutBatch[] = [];
      let now = 1_000;
      let position = 1n;
      let lastEvent = 0n;
      let isClosedBeside = false;

      const both = <Result>(act: (side: Side) => Promise<Result>) => Promise.all([act(sides[0]), act(sides[1])]);
      const listenerOf = (number: number): QueuedListener => listeners[number] as QueuedListener; // there are as many

      /** Lease request of this listener only: those of the others have as many under way as they may. */
      function request({ listenerId }: QueuedListener, limit: number): LeaseRequest {
        const underWay = new Map(listeners.map((each) => [each.listenerId, each.listenerId === listenerId ? 0 : 100]));
        return leaseRequest({ limit, inFlightByListener: underWay, now });
      }

      function newBatch(queued: readonly QueuedListener[], events: number): FanOutBatch {
        const made = batchOf(queued, events);
        const messages = made.messages.map((message) => ({ ...message, position: lastEvent + message.position + 1n }));
        lastEvent += BigInt(events);
        const batch = { ...made, messages };
        batches = [...batches, batch];
        return batch;
      }

      async function put(number: number, fields: Partial<QueuedListener>, process: 'queue' | 'beside'): Promise<void> {
        position += 1n;
        listeners[number] = { ...listenerOf(number), ...fields, position };
        await both((side) => side[process].enqueue({ ...emptyBatch, listeners: [listenerOf(number)] }, now));
      }

      /** Calls in one transaction, with one that fails, and before it does knows of another listener or writes all. */
      async function failBeside(number: number, upTo: number): Promise<void> {
        const batch = newBatch([listenerOf(number)], upTo);
        const lost = {
          ...batchOf([upTo % 2 === 0 ? queuedListener() : listenerOf(number)]),
          checkpoint: lostCheckpoint,
        };
        await both(async (side) => {
          const outcomes = side.leased.splice(0, 1).map((each) => failed(each, afterAll));
          const [enqueued, { counted }, failure] = await Promise.all([
            enqueueAndLease(side.queue, handedOver(side, batch), now, request(listenerOf(number), 1)),
            side.queue.record(outcomes, now),
            rejection(side.queue.enqueue(handedOver(side, lost), now)),
          ]);
          const { deliveries } = await side.queue.lease(request(listenerOf(number), upTo));
          expect(failure).to.be.instanceOf(CheckpointLost);
          expect(enqueued.added).to.equal(upTo);
          expect(counted).to.equal(outcomes.length);
          take(side, [...(enqueued.lease?.deliveries ?? []), ...deliveries]);
        });
      }

      const acts: Readonly<Record<string, (number: number, upTo: number) => Promise<unknown>>> = {
        async enqueue(number, upTo) {
          const batch = newBatch(upTo > 2 ? [listenerOf(number)] : [listenerOf(0), listenerOf(1)], upTo);
          const added = await both(async (side) => (await side.queue.enqueue(handedOver(side, batch), now)).added);
          expect(added[0]).to.equal(added[1]);
        },
        'enqueue and lease': (number, upTo) => {
          const batch = newBatch([listenerOf(number)], upTo);
          return both(async (side) => {
            const requested = request(listenerOf(number), 5 - upTo);
            const { lease } = await enqueueAndLease(side.queue, handedOver(side, batch), now, requested);
            take(side, lease?.deliveries ?? []);
          });
        },
        lease: (number, upTo) =>
          both(async (side) => take(side, (await side.queue.lease(request(listenerOf(number), upTo))).deliveries)),
        'hand over again': (_, upTo) =>
          both(async (side) => {
            for (const batch of batches.slice(-upTo)) {
              expect(await side.queue.enqueue(handedOver(side, batch), now)).to.deep.equal({ added: 0 });
            }
          }),
        pause: (number) => put(number, { paused: true }, 'queue'),
        resume: (number) => put(number, { paused: false }, 'queue'),
        'another process pauses': (number) => put(number, { paused: true }, 'beside'),
        'another process enqueues': (number, upTo) => {
          const batch = newBatch([listenerOf(number)], upTo);
          return both(({ beside }) => beside.enqueue(batch, now));
        },
        close: (number) => both(({ queue }) => queue.withdraw({ listenerId: listenerOf(number).listenerId })),
        'another process closes': (number) => {
          isClosedBeside = true;
          return both(({ beside }) => beside.withdraw({ listenerId: listenerOf(number).listenerId }));
        },
        redeliver: (number) => both(({ queue }) => queue.redeliver({ orgId: listenerOf(number).orgId, states }, now)),
        async purge() {
          if (isClosedBeside) return; // a closed gate says when by its own clock: what it finds written, what is written later
          batches = []; // what is handed over again after it has been forgotten is new
          await both(({ queue }) => queue.forget({ of: 'deliveries', before: now - 300, limit: 5 }));
        },
        'one of several fails': failBeside,
        async count() {
          const [one, other] = await both(({ queue }) => queue.counts(now));
          expect(one).to.deep.equal(other);
        },
        async 'time passes'() {
          mock.timers.tick(250);
        },
      };

      const record = (kind: string, upTo: number) =>
        both(async ({ queue, leased }) => {
          const outcome = outcomes[kind as keyof typeof outcomes];
          const ended = leased.splice(0, upTo);
          expect((await queue.record(ended.map(outcome), now)).counted).to.equal(ended.length);
        });

      await both(({ queue }) => queue.enqueue({ ...emptyBatch, listeners, checkpoint: { reader, position: 0n } }, now));
      for (const { kind, listener: number, count: upTo } of steps) {
        now += 150;
        await (acts[kind]?.(number, upTo) ?? record(kind, upTo));
        expect(sides[0].leased, kind).to.deep.equal(sides[1].leased);
      }

      const ends = await both(async (side) => {
        await finish(side, 2 * afterAll);
        const listed = await Promise.all(
          ['acme', 'other'].map((orgId) => side.queue.deliveries({ orgId, limit: 10_000 })),
        );
        const all = listed
          .flatMap(({ deliveries }) => deliveries)
          .map(({ id, state, attempts, lastStatus }) => ({ id, state, attempts, lastStatus }));
        return { all: all.sort(byId), stateCounts: await side.beside.counts(now) };
      });
      expect(ends[0]).to.deep.equal(ends[1]);
      expect(new Set(ends[0].all.map(({ id }) => id)).size).to.equal(ends[0].all.length);
      await both(({ queue, beside }) => Promise.all([queue.close(), beside.close()]));
    });
    await fc.assert(property, { numRuns: 60 });
  }).timeout(60_000);
});

function open(isFromMemory: boolean): Side {
  const directory = temporaryDirectory();
  const [queue, beside] = [openSqliteDeliveryQueue({ directory }), openSqliteDeliveryQueue({ directory })];
  return { isFromMemory, queue, beside, leased: [] };
}

const handedOver = ({ isFromMemory }: Side, batch: FanOutBatch): FanOutBatch =>
  isFromMemory && !batch.checkpoint ? comingAgain(batch) : batch;

/** Notes what has been leased, of which nothing may be under lease already. */
function take({ leased }: Side, deliveries: readonly LeasedDelivery[]): void {
  leased.push(...deliveries);
  expect(new Set(leased.map(({ id }) => id)).size, 'a delivery is under two leases').to.equal(leased.length);
}

/** Has all that is left succeed. */
async function finish(side: Side, now: number): Promise<void> {
  for (let at = now; ; at += 3_600_000) {
    const ended = side.leased.splice(0);
    await side.queue.record(ended.map(succeeded), at);
    const { deliveries, nextDueAt } = await side.queue.lease(leaseRequest({ limit: 7, now: at }));
    take(side, deliveries);
    if (deliveries.length === 0 && nextDueAt === undefined) return;
  }
}

const outcomes = { succeeded, exhausted, released, failed: (each: LeasedDelivery) => failed(each, afterAll) };
const lostCheckpoint = { reader: 'lost', position: 1n, follows: true } as const;
const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
