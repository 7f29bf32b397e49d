import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newListenerId } from '../../../src/listeners/listener.js';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener, released } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

/** The quickest of several: what else the machine does takes time now and then, and never gives any. */
async function quickest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 7; run += 1) best = Math.min(best, await timed(work));
  return best;
}

describe('the delivery queue on SQLite with a long history', () => {
  it('finds a delivery by its id, rare matches, and due deliveries of another organisation without reading the rest', async () => {
    const queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const listeners = Array.from({ length: 200 }, () => queuedListener());
    await queue.enqueue(batchOf(listeners, 150, 'event'), 800);
    const held = queuedListener({ paused: true });
    await queue.enqueue(batchOf([held], 1, 'held'), 800);
    await queue.enqueue(batchOf([queuedListener({ orgId: 'globex' })]), 900);
    const id = `held-0/${held.listenerId}`;

    const inFlightByOrganisation = new Map([['acme', 10]]);
    const full = async () => {
      const { deliveries } = await queue.lease(
        leaseRequest({ limit: 10, perOrganisation: 10, inFlightByOrganisation }),
      );
      await queue.record(deliveries.map(released), 1_000);
      return deliveries;
    };
    expect((await full()).map(({ orgId }) => orgId)).to.deep.equal(['globex']);
    expect((await queue.deliveries({ orgId: 'acme', states: ['held'] })).deliveries).to.have.length(1);

    const [middle] = (await queue.deliveries({ orgId: 'acme', eventId: 'event-75', limit: 1 })).deliveries;
    // All of the 30,000 take a hundred times as long.
    const everything = await quickest(() => queue.deliveries({ orgId: 'acme', states: ['waiting'], limit: 1 }));
    for (const look of [
      full,
      () => queue.deliveries({ orgId: 'acme', states: ['held', 'exhausted', 'cancelled'] }),
      () => queue.deliveries({ orgId: 'acme', id }),
      () => queue.deliveries({ orgId: 'acme', limit: 10 }),
      () => queue.deliveries({ orgId: 'acme', limit: 10, after: middle?.cursor as string }),
      () => queue.forget({ of: 'deliveries', before: 10_000, limit: 100 }),
      () => queue.counts(1_000),
      () => queue.events({ orgId: 'acme', before: 75n, limit: 10 }),
      () => queue.listeners({ dueBefore: 10_000, limit: 50 }),
      () => queue.activity({ from: 0, to: 86_400_000 }),
      () => queue.events({ orgId: 'acme', eventId: 'event-75' }),
    ]) {
      expect(await quickest(look), look.toString()).to.be.below(everything / 4);
    }
    await queue.close();
  });

  it('finds the delivery of an event to one listener without reading those to others', async () => {
    const queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const listeners = Array.from({ length: 4_000 }, () => queuedListener());
    await queue.enqueue(batchOf(listeners, 1, 'event'), 800);
    const { listenerId } = listeners[2_000] as QueuedListener;
    const one = () => queue.deliveries({ orgId: 'acme', eventId: 'event-0', listenerId });
    expect((await one()).deliveries.map(({ id }) => id)).to.eql([`event-0/${listenerId}`]);
    const all = await quickest(() => queue.deliveries({ orgId: 'acme', eventId: 'event-0', limit: 4_000 }));
    expect(await quickest(one)).to.be.below(all / 4);
    await queue.close();
  });

  it('writes no more for the last of the listeners that one event goes to than for the first', async () => {
    const directory = temporaryDirectory();
    const queue = openSqliteDeliveryQueue({ directory });
    const logBytes = () => statSync(join(directory, 'deliveries.db-wal')).size;
    const listeners = Array.from({ length: 8_000 }, () => queuedListener({ listenerId: newListenerId() }));
    const written: number[] = [];
    for (let from = 0; from < listeners.length; from += 500) {
      const before = logBytes();
      const batch = batchOf(listeners.slice(from, from + 500), 1, 'event');
      const deliveries = batch.deliveries.map((delivery) => ({ ...delivery, id: randomUUID() }));
      await queue.enqueue({ ...batch, deliveries }, 800);
      written.push(logBytes() - before);
    }
    expect(written.at(-1)).to.be.below(1.5 * (written[1] as number));
    await queue.close();
  });
});
