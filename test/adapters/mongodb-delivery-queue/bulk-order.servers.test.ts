import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import {
  batchOf,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf } from '../../support/mongodb/sent-commands.js';

onMongoDb('the delivery queue: order of its bulks', ({ server, database }) => {
  const client = new MongoClient(server.url, { monitorCommands: true, ignoreUndefined: true });
  after(() => client.close());

  /** Deliveries are inserted in the order of their flow events, as a concurrent lease needs them. */
  it('writes several documents in the order of their IDs, so that two bulks never wait for each other', async () => {
    const bulks: (readonly string[])[] = [];
    const note = ({ command }: CommandStartedEvent) => {
      const written: readonly Document[] = command.updates ?? command.documents ?? [];
      const ids = written.map(({ q, _id }) => `${q?._id ?? _id}`);
      const name = nameOf(command);
      if (new Set(ids).size > 1 && name !== 'insert queue.deliveries') bulks.push([name, ...ids]);
    };
    const db = client.db(database(randomUUID()).db.databaseName);
    const queue = await openMongoDeliveryQueue({ db, patient: db });
    const listeners = Array.from({ length: 8 }, () => queuedListener());
    client.on('commandStarted', note);
    await queue.enqueue(batchOf(listeners, 3), 900);
    const changed = listeners.map((listener) => ({
      ...listener,
      ratePerSecond: 100,
      position: listener.position + 1n,
    }));
    await queue.enqueue({ ...emptyBatch, listeners: changed }, 950);
    const { deliveries } = await queue.lease(leaseRequest({ limit: 24 }));
    const outcomes = deliveries.map((leased, index) => (index % 2 === 0 ? succeeded(leased) : failed(leased, 2_000)));
    await queue.record(outcomes, 1_100);
    const unknown = Array.from({ length: 8 }, () => randomUUID());
    await queue.enqueue(
      { ...emptyBatch, ended: [...listeners.map(({ listenerId }) => listenerId), ...unknown] },
      1_200,
    );
    await daysOf(queue, { orgId: 'acme', from: '1970-01-01', to: '1970-01-01' }); // writes them
    client.off('commandStarted', note);
    await queue.close();

    expect(new Set(bulks.map(([name]) => name))).to.include.keys(
      'insert queue.listeners',
      'insert queue.messages',
      'insert queue.halfHours',
      'update queue.listeners',
      'update queue.deliveries',
      'update queue.halfHours',
    );
    for (const [name, ...ids] of bulks) expect(ids, name).to.deep.equal([...ids].sort());
  });
});
