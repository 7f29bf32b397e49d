// See README.md: `node record.mjs COMPILED`, with the compiled tree of release 1.0.0.
import { deepStrictEqual } from 'node:assert';
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { noon, openScenario } from './scenario.mjs';

/** The last two: of the process that is killed, its store and where this is. */
const [compiled, storeOfKilled, placeOfKilled] = process.argv.slice(2);
const imported = (file) => import(pathToFileURL(resolve(compiled, file)).href);
const installed = createRequire(resolve(compiled, 'src/main.js'));
const write = (name, data) => writeFileSync(new URL(name, import.meta.url), data);

const { FanOutBatchBuilder } = await imported('src/deliveries/fan-out/fan-out-batch-builder.js');
const { uuidV5 } = await imported('src/kernel/uuid.js');
const { emptyBatch } = await imported('src/deliveries/queue/leasing.js');

/** `open`: the queue; `save`: its data as it is. */
const stores = {
  async sqlite(place) {
    const { openSqliteDeliveryQueue } = await imported('src/deliveries/sqlite/sqlite-delivery-queue.js');
    const { temporaryDirectory } = await imported('test/support/temporary-directory.js');
    const directory = place ?? temporaryDirectory();
    return {
      place: directory,
      readers: [{ reader: 'fan-out' }],
      open: () => openSqliteDeliveryQueue({ directory }),
      async save() {
        const Database = installed('better-sqlite3');
        const database = new Database(join(directory, 'deliveries.db'));
        database.pragma('wal_checkpoint(TRUNCATE)');
        database.close();
        write('deliveries.db.gz', gzipSync(readFileSync(join(directory, 'deliveries.db')), { level: 9 }));
      },
      async end() {},
    };
  },
  async mongodb(place) {
    const { openMongoDb } = await imported('src/stores/mongodb/mongodb-database.js');
    const { openMongoDeliveryQueue } = await imported('src/deliveries/mongodb/mongodb-delivery-queue.js');
    const { startMongoDb } = await imported('test/support/mongodb/start-mongodb.js');
    const server = place ? undefined : await startMongoDb();
    const url = place ?? server.url;
    const database = openMongoDb({ url, database: 'recorded' });
    const partitions = [0, 1, 2, 3].map((partition) => ({ reader: `fan-out/${partition}`, term: 3n }));
    return {
      place: url,
      readers: [...partitions, { reader: 'fan-out-partitions', position: BigInt(partitions.length) }],
      open: () => openMongoDeliveryQueue({ ...database, partitions: partitions.length }),
      async save() {
        const { EJSON } = installed('bson');
        const collections = [];
        for (const { name } of await database.db.listCollections().toArray()) {
          const collection = database.db.collection(name);
          const types = { promoteValues: false, useBigInt64: false }; // as they are stored
          const documents = await collection.find({}, types).sort({ _id: 1 }).toArray();
          collections.push({ name, indexes: await collection.indexes(), documents });
        }
        const lines = collections.map((each) => `${EJSON.stringify(each, { relaxed: false })}\n`).sort();
        write('mongodb.ejson.gz', gzipSync(lines.join(''), { level: 9 }));
      },
      async end() {
        await database.close();
        await server?.stop();
      },
    };
  },
};

async function openRecording(store, place) {
  const opened = await stores[store](place);
  return { ...opened, scenario: openScenario({ FanOutBatchBuilder, uuidV5, emptyBatch }, opened.readers) };
}

async function record(store) {
  const { place, open, save, end, scenario } = await openRecording(store);
  const queue = await open();
  await scenario.fill(queue);
  await queue.close();
  const killed = fork(fileURLToPath(import.meta.url), [compiled, store, place]);
  const leased = await new Promise((answer) => killed.once('message', answer));
  const beside = await open();
  await scenario.changeBeside(beside);
  const facts = await scenario.facts(beside);
  const ended = new Promise((exited) => killed.once('exit', exited));
  killed.kill('SIGKILL');
  await ended;
  await beside.close();
  await save();
  await end();
  const { listeners, replays } = scenario;
  return { noon, listeners, replays, leased: leased.sort(), ...facts };
}

if (storeOfKilled) {
  const { open, scenario } = await openRecording(storeOfKilled, placeOfKilled);
  const leased = await scenario.leaseForGood(await open());
  await setTimeout(3_000); // on servers, 1.0.0 writes statistics every two seconds
  process.send(leased);
  await setTimeout(600_000); // its attempts hang until it is killed
} else {
  const recorded = await record('sqlite');
  deepStrictEqual(await record('mongodb'), recorded, 'the stores differ');
  write('recorded.json', `${JSON.stringify(recorded, null, 2)}\n`);
}
process.exit();
