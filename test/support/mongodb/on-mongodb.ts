import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { needs } from '../run/programs.js';
import { type MongoDbServer, NoMongoDb } from './mongodb-server.js';
import { sharedMongoDb } from './shared-mongodb.js';

/** A server that all tests of a run share. A suite that stops or restarts one starts its own. */
export type TestMongoDb = {
  server: MongoDbServer;
  /**
   * The database of a place: initially empty, the same for each call, dropped after the suite. It need not be closed.
   */
  database: (place: string) => MongoDatabase;
  /**
   * Runs the work after the suite, even if tests fail, in reverse order, together with dropping
   * databases.
   */
  atEnd: (work: () => Promise<unknown>) => void;
};

/**
 * Requested when the test files are loaded: a suite that cannot run must not be defined, or mocha reports it as
 * pending.
 */
const found: MongoDbServer | NoMongoDb = await sharedMongoDb().catch((error: unknown) => {
  if (error instanceof NoMongoDb) return error;
  throw error;
});
after(async () => {
  if (!(found instanceof NoMongoDb)) await found.stop?.();
});

/** Defines tests that stop or restart a MongoDB of their own. */
export function onStoppableMongoDb(tests: () => void): void {
  if (needs('own-mongodb')) tests();
}

/** Defines tests that need a MongoDB. */
export function onMongoDb(what: string, tests: (mongoDb: TestMongoDb) => void): void {
  if (found instanceof NoMongoDb) {
    describe(what, () => void needs('java', found));
    return;
  }
  const { url } = found;
  describe(`on MongoDB (${found.kind})`, function () {
    this.timeout(120_000); // a stand-in is slow, and two cores are busy
    let shared: MongoDatabase;
    const used = new Set<string>();
    const ends: (() => Promise<unknown>)[] = [];

    before(() => {
      shared = openMongoDb({ url });
    });
    after(async () => {
      const failures: unknown[] = [];
      for (const end of [...ends.reverse(), () => shared.close()]) {
        await end().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw new AggregateError(failures, `not all has ended: ${failures.join(', ')}`);
    });

    tests({
      server: found,
      database(place) {
        const name = `flow-hooks-test-${process.pid}-${place}`; // other processes use the same server
        const db = shared.db.client.db(name);
        if (!used.has(name)) ends.push(() => db.dropDatabase());
        used.add(name);
        return { db, patient: shared.patient.client.db(name), close: async () => {} };
      },
      atEnd: (work) => void ends.push(work),
    });
  });
}
