import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { type ListenerPeriod, listenersView } from '../../../projections/listeners.js';
import { newListenerId } from '../../../src/listeners/listener.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { collectionsOf, type DocumentRow } from '../../../src/views/mongodb/collections.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { makeIndexes } from '../../../src/views/mongodb/open-build.js';
import { buildName, open, patch, put, sortable } from '../../../src/views/projection.js';
import type { Build, EventOperations } from '../../../src/views/read-model.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { median } from '../../support/in-turns.js';
import { report } from '../../support/report.js';
import { serverName } from '../../support/servers.js';

/** Against a bare, unordered bulkWrite of the same documents with the same write concern. */
const server = await startMongoDb();
const standIn = server.kind === 'mongo-java-server';
const batchSize = standIn ? 500 : 2_000; // as in a rebuild
const batches = standIn ? 5 : 10;
const rounds = 7;

const database = openMongoDb({ url: server.url, database: `flow-hooks-bench-${randomUUID()}` });
const readModel = openMongoReadModel(database);
const { documents } = collectionsOf(database.patient);

type Batch = {
  events: readonly EventOperations[];
  bare: readonly AnyBulkWriteOperation<DocumentRow>[];
};

function details(index: number): ListenerPeriod {
  return {
    listenerId: newListenerId(),
    orgId: `org-${index % 1_000}`,
    userId: `user-${index}`,
    state: 'active',
    hookUrl: `https://hooks.example.com/hooks/catch/${index}/${randomUUID()}/`,
    subscription: {
      subscriptionType: 'flow.*',
      filter: null,
      transform: null,
      ordered: false,
      ratePerSecond: null,
      description: null,
      signedWithKeyPair: false,
    },
    secret: { keyGeneration: 'g1', version: 1, previous: null },
    failing: null,
    pausedBy: null,
    status: 'active',
    since: new Date().toISOString(),
    from: sortable(BigInt(index)),
    until: open,
  };
}

const rowsAt = (first: number): DocumentRow[] =>
  Array.from({ length: batchSize }, (_, offset) => {
    const document = details(first + offset);
    return { _id: `${document.listenerId}/0`, position: BigInt(first + offset), document };
  });

const beginning = (rows: readonly DocumentRow[]): Batch => ({
  events: rows.map(({ _id, position, document = {} }) => ({ position, operations: [put(_id, document)] })),
  bare: rows.map((document) => ({ insertOne: { document } })),
});

function ending(rows: readonly DocumentRow[], by: bigint): Batch {
  const later = rows.map(({ _id, position }) => ({ _id, position: position + by, until: sortable(position + by) }));
  return {
    events: later.map(({ _id, position, until }) => ({ position, operations: [patch(_id, { until })] })),
    bare: later.map(({ _id, position, until }) => ({
      updateOne: { filter: { _id }, update: { $set: { position, 'document.until': until } } },
    })),
  };
}

async function rate(batchesOf: readonly Batch[], write: (batch: Batch) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (const batch of batchesOf) await write(batch);
  return (batchesOf.length * batchSize) / ((performance.now() - began) / 1_000);
}

const ours = (build: Build) => (batch: Batch) => build.apply(batch.events, batch.events.at(-1)?.position ?? -1n);
const bare = (collection: Collection<DocumentRow>) => (batch: Batch) =>
  collection.bulkWrite([...batch.bare], { ordered: false });

const loads = { ours: [] as number[], peer: [] as number[] };
const ends = { ours: [] as number[], peer: [] as number[] };
const later = BigInt(batches * batchSize);
for (let round = 0; round <= rounds; round += 1) {
  const rows = Array.from({ length: batches }, (_, batch) => rowsAt(batch * batchSize));
  const build = await readModel.open(listenersView, buildName(listenersView, `run-${round}`), { bulk: true });
  const peer = documents(buildName(listenersView, `peer-${round}`));

  const sides = round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const);
  const write = { ours: ours(build), peer: bare(peer) };
  for (const side of sides) loads[side].push(await rate(rows.map(beginning), write[side]));
  await build.finish();
  await makeIndexes(peer, listenersView);
  const ended = rows.map((each) => ending(each, later));
  for (const side of sides) ends[side].push(await rate(ended, write[side]));
  await readModel.drop(build.name);
  await peer.drop();
}

const on = await serverName(server, database);
const figures = [
  [
    `loading a view in MongoDB in batches of ${batchSize}, against a bare unordered bulkWrite of the same documents`,
    loads,
  ],
  [`changing it in batches of ${batchSize} once it is live, against the same without guards and checkpoint`, ends],
] as const;
for (const [figure, rates] of figures) {
  // The first round is a warm-up.
  report({
    figure,
    ours: median(rates.ours.slice(1)),
    peer: median(rates.peer.slice(1)),
    unit: 'documents/s',
    target: { atLeast: 0.7 },
    server: on,
  });
}
await database.patient.dropDatabase();
await database.close();
await server.stop?.();
