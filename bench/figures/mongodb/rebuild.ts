import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { AnyBulkWriteOperation } from 'mongodb';
import { listenersView } from '../../../projections/listeners.js';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { mediansInTurns } from '../../support/in-turns.js';
import { appendLives } from '../../support/projecting-history.js';
import { report } from '../../support/report.js';
import { serverName, startEventStoreDb } from '../../support/servers.js';

/** Against the bare clients: read all events, and write each by an unordered bulk upsert, without the fold. */
const eventStoreDb = await startEventStoreDb();
const mongoDb = await startMongoDb();
const standIn = mongoDb.kind === 'mongo-java-server';
const listeners = standIn ? 5_000 : 100_000; // of ten events each
const rounds = standIn ? 2 : 3;
const batchSize = 1_000;

const database = openMongoDb({ url: mongoDb.url, database: `flow-hooks-bench-${randomUUID()}` });
const readModel = openMongoReadModel(database);
const store = openEventStoreDb({ url: eventStoreDb.url });
const client = EventStoreDBClient.connectionString(eventStoreDb.url);
await appendLives(store, listeners, { concurrent: 100 });

async function ours(): Promise<number> {
  const { events } = await rebuild({ store, readModel, projection: listenersView });
  return events;
}

type Row = { _id: string };

async function bare(): Promise<number> {
  const name = `peer-${randomUUID()}`;
  const rows = database.patient.collection<Row>(name);
  let batch: AnyBulkWriteOperation<Row>[] = [];
  let events = 0;
  const write = async () => {
    await rows.bulkWrite(batch, { ordered: false });
    batch = [];
  };
  for await (const { event } of client.readAll()) {
    if (!event?.streamId.startsWith('listener-')) continue;
    events += 1;
    const document = event.data as object;
    batch.push({ updateOne: { filter: { _id: event.streamId }, update: { $set: { document } }, upsert: true } });
    if (batch.length === batchSize) await write();
  }
  if (batch.length > 0) await write();
  await rows.drop();
  return events;
}

async function rateOf(work: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const events = await work();
  if (events < listeners * 10) throw new Error(`only ${events} events were read`);
  return events / ((performance.now() - began) / 1_000);
}

report({
  figure: `rebuilding the listeners view in MongoDB from ${(listeners * 10).toLocaleString('en')} events of EventStoreDB, against the bare clients with unordered bulk upserts`,
  ...(await mediansInTurns({ rounds, warmUps: 0 }, { ours: () => rateOf(ours), peer: () => rateOf(bare) })),
  unit: 'events/s',
  target: { atLeast: 0.5 },
  server: `${eventStoreDb.name}; ${await serverName(mongoDb, database)}`,
});

await client.dispose();
await store.close();
await database.patient.dropDatabase();
await database.close();
await mongoDb.stop?.();
await eventStoreDb.stop();
