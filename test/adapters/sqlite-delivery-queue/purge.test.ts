import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import { deliveriesFile } from '../../../src/queue/sqlite/schema.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a purge of the SQLite queue', () => {
  const before = 10_000;
  let directory: string;
  let queue: DeliveryQueue;

  beforeEach(() => {
    directory = temporaryDirectory();
    queue = openSqliteDeliveryQueue({ directory });
  });
  afterEach(() => queue.close());

  async function deliver(batch: FanOutBatch): Promise<void> {
    await queue.enqueue(batch, 900);
    const { deliveries } = await queue.lease(leaseRequest({ limit: batch.deliveries.length }));
    await queue.record(deliveries.map(succeeded), 1_000);
  }

  const withBodies = (batch: FanOutBatch, bytes: number): FanOutBatch => ({
    ...batch,
    messages: batch.messages.map((message) => ({ ...message, body: 'x'.repeat(bytes) })),
  });

  /** The most that one step of several has forgotten: what else the machine does takes time now and then. */
  async function most(withinMs: number): Promise<number> {
    let best = 0;
    for (let step = 0; step < 5; step += 1)
      best = Math.max(best, (await queue.forget({ of: 'deliveries', before, limit: 1_000, withinMs })).forgotten);
    return best;
  }

  it('ends with its time, and forgets one at the least', async () => {
    await deliver(batchOf([queuedListener()], 3));
    const steps: number[] = [];
    do steps.push((await queue.forget({ of: 'deliveries', before, limit: 10, withinMs: 0 })).forgotten);
    while (steps.at(-1) !== 0);
    expect(steps).to.deep.equal([1, 1, 1, 0]);
  });

  it('forgets fewer in a step where bodies are large', async () => {
    const listener = queuedListener();
    await deliver(withBodies(batchOf([listener], 40, 'large'), 1_048_576));
    const large = await most(1);
    await queue.forget({ of: 'deliveries', before, limit: 1_000 });
    await deliver(withBodies(batchOf([listener], 500, 'small'), 500));
    expect(await most(1)).to.be.above(2 * large);
  });

  it('drops a body with the last delivery of it, though a step has ended in between', async () => {
    await deliver(batchOf([queuedListener(), queuedListener(), queuedListener()]));
    const file = openDatabaseFile(directory, deliveriesFile);
    const kept = file.prepare('SELECT body IS NOT NULL FROM messages').pluck();
    const seen: unknown[] = [];
    for (const limit of [1, 1, 10]) {
      await queue.forget({ of: 'deliveries', before, limit });
      seen.push(kept.get());
    }
    file.close();
    expect(seen).to.deep.equal([1, 1, 0]);
  });
});
