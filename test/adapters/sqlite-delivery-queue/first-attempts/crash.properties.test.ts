import { cpSync } from 'node:fs';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { DeliveryQueue } from '../../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../../src/queue/leasing.js';
import { positionOf } from '../../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { daysOf } from '../../../support/deliveries/days-of.js';
import {
  batchOf,
  enqueueAndLease,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { comingAgain, lostBatch, openFirstAttempts, reader } from '../../../support/deliveries/first-attempts.js';
import { rejection } from '../../../support/rejection.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const count = fc.integer({ min: 1, max: 3 });
const kind = fc.constantFrom('lease', 'succeeded', 'failed', 'released', 'time passes', 'count');

/** Next step, and whether something in the same transaction fails. `isSplit`: an event comes in two parts. */
const step = fc.record({
  kind: fc.oneof({ weight: 1, arbitrary: fc.constant('hand over') }, { weight: 2, arbitrary: kind }),
  count,
  isSplit: fc.boolean(),
  isBesideFailure: fc.nat(7).map((number) => number === 0),
});

describe('the file under first attempts from memory, on SQLite', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('can at any moment be continued by a fan-out, and nothing is lost', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const listeners = [queuedListener(), queuedListener(), queuedListener({ ordered: true })];
      const { directory, queue, file, close } = await openFirstAttempts(...listeners);
      const handedOver: (readonly FanOutBatch[])[] = [];
      const leased: LeasedDelivery[] = [];

      async function handOver(number: number, isSplit: boolean): Promise<void> {
        const parts = eventInParts(listeners.slice(0, number), BigInt(handedOver.length + 1), isSplit);
        handedOver.push(parts);
        for (const part of parts)
          leased.push(...((await enqueueAndLease(queue, part, 900, request(1))).lease?.deliveries ?? []));
      }

      async function act(what: string, number: number, isSplit: boolean): Promise<unknown> {
        if (what === 'hand over') return handOver(number, isSplit);
        if (what === 'lease') return leased.push(...(await queue.lease(request(number))).deliveries);
        if (what === 'count') return queue.counts(1_000);
        if (what === 'time passes') return mock.timers.tick(250);
        return queue.record(leased.splice(0, number).map(outcomes[what as keyof typeof outcomes]), 1_000);
      }

      for (const { kind: what, count: number, isSplit, isBesideFailure } of steps) {
        const acted = act(what, number, isSplit);
        if (isBesideFailure) await rejection(queue.enqueue(lostBatch(queuedListener()), 900));
        await acted;
        await turn();
        const rows = (await file.deliveries({ orgId: 'acme', limit: 10_000 })).deliveries;
        expect(missing(rows, handedOver, await positionOf(file, reader)), what).to.deep.equal([]);
        const { waiting, succeeded: ended } = await file.counts(1_000);
        expect({ waiting, ended }, what).to.deep.equal(tallyOf(rows));
      }

      const copy = temporaryDirectory();
      cpSync(directory, copy, { recursive: true }); // as it is found after a crash
      const restarted = openSqliteDeliveryQueue({ directory: copy });
      const checkpoint = Number(await positionOf(restarted, reader));
      for (const part of handedOver.slice(checkpoint).flat()) await restarted.enqueue(part, 900);
      await deliverAll(restarted);
      const rows = (await restarted.deliveries({ orgId: 'acme', limit: 10_000 })).deliveries;
      const all = handedOver.flat().flatMap(({ deliveries }) => deliveries);
      expect(tallyOf(rows)).to.deep.equal({ waiting: 0, ended: all.length });
      expect(await positionOf(restarted, reader)).to.equal(BigInt(handedOver.length));
      expect(await activityOf(restarted)).to.deep.equal(await countedElsewhere(restarted));
      await restarted.close();
      await close();
    });
    await fc.assert(property, { numRuns: 40 });
  }).timeout(60_000);
});

const request = (limit: number) => leaseRequest({ limit });
const outcomes = { succeeded, released, failed: (each: LeasedDelivery) => failed(each, 1_000, { byListener: false }) };

/** The checkpoint goes with the last part. */
function eventInParts(
  listeners: Parameters<typeof batchOf>[0],
  position: bigint,
  isSplit: boolean,
): readonly FanOutBatch[] {
  const { deliveries, ...batch } = batchOf(listeners);
  const half = isSplit ? 1 : 0;
  const last = comingAgain({ ...batch, deliveries: deliveries.slice(half) }, position);
  return isSplit ? [comingAgain({ ...batch, deliveries: deliveries.slice(0, half) }, position - 1n), last] : [last];
}

/** Deliveries of the events up to the checkpoint that are not among the rows. */
function missing(
  rows: readonly { id: string }[],
  events: readonly (readonly FanOutBatch[])[],
  checkpoint = 0n,
): readonly string[] {
  const there = new Set(rows.map(({ id }) => id));
  const deliveries = events.slice(0, Number(checkpoint)).flatMap((parts) => parts.flatMap((part) => part.deliveries));
  return deliveries.map(({ id }) => id).filter((id) => !there.has(id));
}

const tallyOf = (rows: readonly { state: string }[]) => ({
  waiting: rows.filter(({ state }) => state === 'waiting').length,
  ended: rows.filter(({ state }) => state === 'succeeded').length,
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function activityOf(queue: DeliveryQueue) {
  const minutes = await queue.activity({ from: 0, to: 120_000 });
  return {
    events: sum(minutes.map(({ events }) => events)),
    succeeded: sum(minutes.map(({ succeeded }) => succeeded)),
    failed: sum(minutes.map(({ failed }) => failed)),
  };
}

/** The same from the rows of flow events and from the statistics of the day, which are written with the outcomes. */
async function countedElsewhere(queue: DeliveryQueue) {
  const known = await queue.events({ orgId: 'acme', after: -1n, upTo: 1_000n, limit: 10_000 });
  const days = await daysOf(queue, { orgId: 'acme', from: '1970-01-01', to: '1970-01-01' });
  return {
    events: known.length,
    succeeded: sum(days.map(({ succeeded }) => succeeded)),
    failed: sum(days.map(({ failed }) => failed)),
  };
}

async function deliverAll(queue: DeliveryQueue): Promise<void> {
  for (let leased: readonly LeasedDelivery[] | undefined; leased?.length !== 0; ) {
    leased = (await queue.lease(leaseRequest({ now: 2_000 }))).deliveries;
    await queue.record(leased.map(succeeded), 2_000);
  }
}
