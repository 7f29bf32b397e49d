import { setImmediate as turn } from 'node:timers/promises';
import type { LeasedDelivery, Outcome } from '../../../src/queue/leasing.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { emptyBatch, failed, leaseRequest, succeeded } from './delivery-batches.js';
import { numberedEvents, numberedListeners, reader } from './first-attempts.js';

/**
 * Hands over numbered events from the checkpoint on, and delivers them, until it is killed. Tells its parent how far it has
 * come and how many deliveries have succeeded. Most do at once; some fail first, and some take so long that they are written
 * meanwhile.
 */
const [directory = ''] = process.argv.slice(2);
const queue = openSqliteDeliveryQueue({ directory });
let position = await positionOf(queue, reader);
if (position === undefined) {
  position = 0n;
  await queue.enqueue({ ...emptyBatch, listeners: numberedListeners, checkpoint: { reader, position } }, 900);
}
let underWay: readonly LeasedDelivery[] = [];
let delivered = 0;
const isQuick = (name: string): boolean => !/[37]-0/.test(name); // an event's position is the last in its name

for (;;) {
  const events = 1 + Math.floor(Math.random() * 6);
  await queue.enqueue(numberedEvents(position, events), 900);
  position += BigInt(events);
  underWay = [...underWay, ...(await queue.lease(leaseRequest({ limit: 20 }))).deliveries];
  const ended = underWay.filter(({ webhookId }) => isQuick(webhookId) || Math.random() < 0.005);
  const over = new Set(ended);
  underWay = underWay.filter((each) => !over.has(each));
  const outcomes = ended.map((each): Outcome => (Math.random() < 0.0002 ? failed(each, 1_000) : succeeded(each)));
  const { counted } = await queue.record(outcomes, 1_000);
  if (counted < outcomes.length) throw new Error('an outcome did not count');
  delivered += outcomes.filter(({ kind }) => kind === 'succeeded').length;
  process.send?.({ position: position.toString(), delivered });
  await turn(); // so that what is not delivered is written
}
