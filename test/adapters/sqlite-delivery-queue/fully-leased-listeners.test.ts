import { expect } from 'chai';
import fc from 'fast-check';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { CheckpointLost } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  enqueueAndLease,
  exhausted,
  failed,
  leaseRequest,
  type QueuedFields,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** A queue, a process beside it, and what the queue has under lease. */
type Side = {
  queue: DeliveryQueue;
  beside: DeliveryQueue;
  leased: LeasedDelivery[];
};

const listener = fc.nat(3);
const count = fc.integer({ min: 1, max: 4 });
const how = fc.constantFrom('succeeded', 'failed', 'exhausted', 'released');
const change = fc.constantFrom(
  ...['pause', 'resume', 'move', 'order', 'rate', 'close', 'redeliver', 'cancel the replay', 'purge', 'forget'],
  ...['another process enqueues', 'one of several fails'],
);

/** Next step; most often deliveries are enqueued, are leased and end. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('enqueue'), listener, count }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('enqueue and lease'), listener, count }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('lease'), listener, count }) },
  { weight: 6, arbitrary: fc.record({ kind: how, listener, count }) },
  { weight: 3, arbitrary: fc.record({ kind: change, listener, count }) },
);

describe('fully leased listeners in memory, on SQLite', () => {
  it('do not change which deliveries are leased', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const listeners: QueuedListener[] = [
        queuedListener(),
        queuedListener({ ordered: true }),
        queuedListener({ orgId: 'other', ratePerSecond: 2 }),
        queuedListener({ orgId: 'other' }),
      ];
      const [remembering, forgetful] = [open(), open()];
      let now = 1_000;
      let position = 1n;

      const both = (act: (side: Side) => Promise<unknown>) => Promise.all([remembering, forgetful].map(act));

      /** Commits as another process, after which everything is read again. */
      async function disturb(): Promise<void> {
        position += 1n;
        const setAside = [{ position, stream: 'flow-1', revision: 0n, type: 'x', reason: 'y' }];
        await forgetful.beside.enqueue({ ...emptyBatch, setAside }, now);
      }

      function request({ leased }: Side, limit: number) {
        const underWay = new Map<string, number>();
        for (const { listenerId } of leased) underWay.set(listenerId, (underWay.get(listenerId) ?? 0) + 1);
        return leaseRequest({ limit, perListener: 3, inFlightByListener: underWay, now });
      }

      async function put(number: number, fields: QueuedFields): Promise<void> {
        position += 1n;
        listeners[number] = changedListener(listenerOf(number), { ...fields, position });
        await both(({ queue }) => queue.enqueue({ ...emptyBatch, listeners: [listenerOf(number)] }, now));
      }

      /** Runs in one transaction, which is rolled back: an enqueue that fails, and knows of another URL, between others. */
      async function failBeside(number: number, upTo: number): Promise<void> {
        const before = batchOf([listenerOf(number)], upTo);
        const after = batchOf([listenerOf(number)], upTo);
        const moved = {
          ...listenerOf(number),
          hookUrl: 'https://hooks.example.com/not-to-be',
          position: position + 1n,
        };
        const lost = { ...batchOf([moved]), checkpoint: { reader: 'lost', position, follows: true } as const };
        await both(async (side) => {
          const [first, failure, last] = await Promise.all([
            enqueueAndLease(side.queue, before, now, request(side, 2)),
            rejection(side.queue.enqueue(lost, now)),
            side.queue.enqueue(after, now),
          ]);
          expect(failure).to.be.instanceOf(CheckpointLost);
          expect(last.added).to.equal(upTo);
          side.leased.push(...(first.lease?.deliveries ?? []));
        });
      }

      const listenerOf = (number: number): QueuedListener => listeners[number] as QueuedListener; // there are as many

      for (const { kind, listener: number, count: upTo } of steps) {
        now += 150;
        const { listenerId, orgId } = listenerOf(number);
        await disturb();
        if (kind === 'enqueue' || kind === 'enqueue and lease') {
          const batch = batchOf([listenerOf(number)], upTo);
          const replayed = { ...batch, deliveries: batch.deliveries.map((each) => ({ ...each, replay: 'replay' })) };
          await both(async (side) => {
            const wanted = upTo % 2 === 0 ? batch : replayed;
            if (kind === 'enqueue') return void (await side.queue.enqueue(wanted, now));
            const { lease } = await enqueueAndLease(side.queue, wanted, now, request(side, upTo));
            side.leased.push(...(lease?.deliveries ?? []));
          });
        } else if (kind === 'lease') {
          await both(async (side) => side.leased.push(...(await side.queue.lease(request(side, upTo))).deliveries));
        } else if (kind === 'pause' || kind === 'resume') await put(number, { paused: kind === 'pause' });
        else if (kind === 'move') await put(number, { hookUrl: `https://hooks.example.com/${position}` });
        else if (kind === 'order') await put(number, { ordered: !listenerOf(number).subscription.ordered });
        else if (kind === 'rate') await put(number, { ratePerSecond: 5 * upTo });
        else if (kind === 'purge')
          await both(({ queue }) => queue.forget({ of: 'deliveries', before: now - 300, limit: 5 }));
        else if (kind === 'another process enqueues') {
          const batch = batchOf([listenerOf(number)], upTo);
          await both(({ beside }) => beside.enqueue(batch, now));
        } else if (kind === 'one of several fails') await failBeside(number, upTo);
        else if (kind === 'close') await both(({ queue }) => queue.withdraw({ listenerId }));
        else if (kind === 'redeliver') {
          await both(({ queue }) => queue.redeliver({ orgId, states: ['held', 'exhausted'] }, now));
        } else if (kind === 'cancel the replay') await both(({ queue }) => queue.withdraw({ replay: 'replay' }));
        else if (kind === 'forget') await both(({ queue }) => queue.forget({ of: 'organisation', orgId, limit: 3 }));
        else {
          await both(async ({ queue, leased }) => {
            const outcomes = {
              succeeded,
              exhausted,
              released,
              failed: (each: LeasedDelivery) => failed(each, now + 400),
            };
            await queue.record(leased.splice(0, upTo).map(outcomes[kind as keyof typeof outcomes]), now);
          });
        }
        expect(remembering.leased).to.deep.equal(forgetful.leased);
      }
      await both(({ queue, beside }) => Promise.all([queue.close(), beside.close()]));
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

function open(): Side {
  const directory = temporaryDirectory();
  return {
    queue: openSqliteDeliveryQueue({ directory }),
    beside: openSqliteDeliveryQueue({ directory }),
    leased: [],
  };
}
