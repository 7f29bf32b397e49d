import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { leaseRequest, succeeded } from '../../support/deliveries/delivery-batches.js';
import { numberedEvents, numberedListeners, reader } from '../../support/deliveries/first-attempts.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Progress of one run: the position that the last batch came up to, and how many deliveries had succeeded. */
type Progress = { position: string; delivered: number };

const child = fileURLToPath(new URL('../../support/deliveries/fan-out-child.js', import.meta.url));

describe('a fan-out whose process is killed before all is written', () => {
  it('hands over again from its checkpoint, and every event is delivered and there once', async () => {
    const directory = temporaryDirectory();
    let handedOver = 0n;
    let delivered = 0;
    let killedBehind = 0;
    for (const steps of [1, 20, 100, 300, 500]) {
      const progress = await runUntilKilled(directory, steps + Math.floor(Math.random() * steps));
      if (BigInt(progress.position) > handedOver) handedOver = BigInt(progress.position);
      delivered += progress.delivered;

      const queue = openSqliteDeliveryQueue({ directory });
      const checkpoint = (await positionOf(queue, reader)) ?? -1n;
      if (checkpoint < BigInt(progress.position)) killedBehind += 1;
      const missing = missingIn(await idsIn(queue), checkpoint);
      expect(missing, `nothing comes again up to the checkpoint ${checkpoint}`).to.deep.equal([]);
      expect((await queue.counts(1_000)).succeeded, 'what was recorded').to.be.at.least(delivered);
      await queue.close();
    }
    expect(killedBehind, 'killed before all was written').to.be.above(0);

    const queue = openSqliteDeliveryQueue({ directory });
    let position = (await positionOf(queue, reader)) ?? 0n;
    for (; position < handedOver; position += 1n) await queue.enqueue(numberedEvents(position, 1), 900);
    await deliverAll(queue);
    const ids = await idsIn(queue);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(missingIn(ids, position)).to.deep.equal([]);
    const { succeeded: ended, waiting } = await queue.counts(1_000);
    expect({ ended, waiting }).to.deep.equal({ ended: ids.length, waiting: 0 });
    expect(await positionOf(queue, reader)).to.equal(position);
    await queue.close();
  }).timeout(60_000);
});

/** Output after this number of further steps; it may have reached a few more. */
async function runUntilKilled(directory: string, steps: number): Promise<Progress> {
  const fanOut = fork(child, [directory]);
  const progress: Progress[] = [];
  fanOut.on('message', (message) => progress.push(message as Progress)); // as the child sends it
  const exited = once(fanOut, 'exit');
  while (progress.length < steps) {
    await Promise.race([once(fanOut, 'message'), exited.then(() => Promise.reject(new Error('the child has ended')))]);
  }
  fanOut.kill('SIGKILL');
  await exited;
  return progress.at(-1) ?? { position: '0', delivered: 0 };
}

async function deliverAll(queue: DeliveryQueue): Promise<void> {
  for (let leased: readonly LeasedDelivery[] | undefined; leased?.length !== 0; ) {
    leased = (await queue.lease(leaseRequest({ limit: 500, perListener: 500 }))).deliveries;
    await queue.record(leased.map(succeeded), 1_000);
  }
}

/** IDs of all deliveries in the queue. */
async function idsIn(queue: DeliveryQueue): Promise<readonly string[]> {
  const orgId = numberedListeners[0]?.orgId ?? '';
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await queue.deliveries({ orgId, limit: 5_000, ...(after !== undefined && { after }) });
    ids.push(...page.deliveries.map(({ id }) => id));
    after = page.next;
    if (after === undefined) return ids;
  }
}

/** Deliveries of all events up to this position that are not among these. */
function missingIn(ids: readonly string[], position: bigint): readonly string[] {
  const there = new Set(ids);
  const { deliveries } = numberedEvents(0n, Math.max(0, Number(position)));
  return deliveries.map(({ id }) => id).filter((id) => !there.has(id));
}
