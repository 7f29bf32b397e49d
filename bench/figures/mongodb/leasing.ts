import { randomUUID } from 'node:crypto';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { batchOf, leaseRequest, queuedListener, released } from '../../../test/support/deliveries/delivery-batches.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { mediansInTurns } from '../../support/in-turns.js';
import { report } from '../../support/report.js';
import { serverName } from '../../support/servers.js';

const listeners = Array.from({ length: 100 }, () => queuedListener());
const limit = 100;

const server = await startMongoDb();
const few = 1_000;
const many = server.kind === 'mongo-java-server' ? 20_000 : 1_000_000;

async function filled(deliveries: number) {
  const database = openMongoDb({ url: server.url, database: `flow-hooks-bench-${randomUUID()}` });
  const queue = await openMongoDeliveryQueue(database);
  const events = 10; // with all listeners: the size of a fan-out batch
  for (let rest = deliveries; rest > 0; rest -= events * listeners.length) {
    await queue.enqueue(batchOf(listeners, events), 1_000 + deliveries - rest);
  }
  return { database, queue };
}

/** Milliseconds, without the release of the leased deliveries. */
async function timeOfLease(queue: DeliveryQueue, now: number): Promise<number> {
  const began = performance.now();
  const { deliveries } = await queue.lease(leaseRequest({ limit, perListener: limit / 10, now }));
  const took = performance.now() - began;
  if (deliveries.length !== limit) throw new Error(`leased ${deliveries.length} instead of ${limit}`);
  await queue.record(deliveries.map(released), now);
  return took;
}

const ours = await filled(many);
const peer = await filled(few);
let now = 10_000_000;
const lease = (queue: DeliveryQueue) => () => {
  now += 1;
  return timeOfLease(queue, now);
};

report({
  figure: `leasing 100 deliveries from ${many.toLocaleString('en')} that wait, against from 1,000, on ${await serverName(server, ours.database)}`,
  ...(await mediansInTurns({ rounds: 40, warmUps: 10 }, { ours: lease(ours.queue), peer: lease(peer.queue) })),
  unit: 'ms',
  target: { atMost: 1.5 },
});
for (const { database, queue } of [ours, peer]) {
  await queue.close();
  await database.patient.dropDatabase();
  await database.close();
}
await server.stop?.();
