import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { DeliveryQueue } from '../../../../src/queue/delivery-queue.js';
import type { LeasedDelivery, Outcome } from '../../../../src/queue/leasing.js';
import { positionOf } from '../../../../src/queue/reader-positions.js';
import {
  batchOf,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { comingAgain, openFirstAttempts, reader } from '../../../support/deliveries/first-attempts.js';

const outcomes: Readonly<Record<string, (delivery: LeasedDelivery, now: number) => Outcome>> = {
  succeeded: (delivery) => succeeded(delivery),
  failed: (delivery, now) => failed(delivery, now + 50, { byListener: false }),
  exhausted: (delivery) => exhausted(delivery),
  released: (delivery) => released(delivery),
};

const step = fc.record({
  kind: fc.constantFrom(
    'enqueue',
    'enqueue and lease',
    'lease',
    'read',
    'close',
    'close beside',
    'turn',
    ...Object.keys(outcomes),
  ),
  listener: fc.nat(7),
  count: fc.integer({ min: 1, max: 3 }),
});

describe('first attempts from memory while calls overlap, on SQLite', () => {
  it('lease each delivery once, none of a closed gate, and lose none', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const listeners = Array.from({ length: 8 }, (_, number) =>
        queuedListener({ orgId: number > 5 ? 'other' : 'acme' }),
      );
      const { queue, file, close } = await openFirstAttempts(...listeners);
      const underWay = new Map<string, LeasedDelivery>();
      const ended = new Set<string>();
      const closed = new Set<string>();
      const calls: Promise<unknown>[] = [];
      const enqueued: { id: string; listenerId: string }[] = [];
      let now = 1_000;
      let position = 0n;

      /** `closedBefore`: listeners whose gates had been closed when the lease was requested. */
      function begin(deliveries: readonly LeasedDelivery[], closedBefore: ReadonlySet<string>): void {
        for (const delivery of deliveries) {
          expect(underWay.has(delivery.id), 'leased twice').to.equal(false);
          expect(ended.has(delivery.id), 'leased after its end').to.equal(false);
          expect(closedBefore.has(delivery.listenerId), 'leased behind a closed gate').to.equal(false);
          underWay.set(delivery.id, delivery);
        }
      }

      async function lease(count: number): Promise<void> {
        const closedBefore = new Set(closed);
        begin((await queue.lease(leaseRequest({ limit: count, now }))).deliveries, closedBefore);
      }

      /** The fan-out hands over one batch at a time. */
      let fanOut: Promise<unknown> | undefined;
      function enqueue(number: number, count: number, isLeased: boolean): Promise<unknown> {
        position += 1n;
        const batch = comingAgain(batchOf(listeners.slice(number, number + 2), count), position);
        enqueued.push(...batch.deliveries);
        const handOver = async () => {
          await queue.enqueue(batch, now);
          if (isLeased) await lease(count);
        };
        const handedOver = fanOut ? fanOut.then(handOver) : handOver();
        fanOut = handedOver;
        return handedOver.finally(() => {
          if (fanOut === handedOver) fanOut = undefined;
        });
      }

      /** A delivery is under way until its outcome is recorded. */
      async function record(kind: string, count: number): Promise<void> {
        const ending = [...underWay.values()].slice(0, count);
        for (const { id } of ending) underWay.delete(id);
        if (kind === 'succeeded' || kind === 'exhausted') for (const { id } of ending) ended.add(id);
        await queue.record(
          ending.map((delivery) => outcomes[kind]?.(delivery, now) ?? released(delivery)),
          now,
        );
      }

      async function closeGate(number: number, process: DeliveryQueue): Promise<void> {
        const { listenerId } = listeners[number] as (typeof listeners)[number];
        await process.withdraw({ listenerId });
        closed.add(listenerId);
      }

      for (const { kind, listener, count } of steps) {
        now += 20;
        if (kind === 'enqueue' || kind === 'enqueue and lease')
          calls.push(enqueue(listener, count, kind !== 'enqueue'));
        else if (kind === 'lease') calls.push(lease(count));
        else if (kind === 'read') calls.push(queue.counts(now));
        else if (kind === 'close') calls.push(closeGate(listener, queue));
        else if (kind === 'close beside') calls.push(closeGate(listener, file));
        else if (kind === 'turn') await nextTurn();
        else if (kind === 'settle') await Promise.all(calls.splice(0));
        else calls.push(record(kind, count));
      }
      await Promise.all(calls);
      expect(await positionOf(queue, reader)).to.equal(position);
      for (let more = true; more; ) {
        now += 60_000;
        await record('succeeded', underWay.size);
        await lease(100);
        more = underWay.size > 0;
      }
      const counts = await queue.counts(now);
      expect(counts).to.include({ waiting: 0, held: 0 });
      expect(counts.succeeded + counts.exhausted + counts.cancelled).to.equal(enqueued.length);
      const open = enqueued.filter(({ listenerId }) => !closed.has(listenerId));
      expect(open.filter(({ id }) => !ended.has(id))).to.deep.equal([]);
      await close();
    });
    await fc.assert(property, { numRuns: 20 });
  }).timeout(60_000);
});
