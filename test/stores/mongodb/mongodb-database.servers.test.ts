import { expect } from 'chai';
import { MongoBulkWriteError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { pino } from 'pino';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { InvalidMongoDbUrl, type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { asMongoError, withMongoErrors } from '../../../src/stores/mongodb/mongodb-errors.js';
import type { MongoDbServer } from '../../support/mongodb/mongodb-server.js';
import { onMongoDb, onStoppableMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startMongoDb } from '../../support/mongodb/start-mongodb.js';
import { rejection } from '../../support/rejection.js';

describe('opening a MongoDB database', () => {
  const nameOf = (url: string, database?: string) =>
    openMongoDb({ url, ...(database !== undefined && { database }) }).db.databaseName;

  it('uses the database given, else that of the URL, else flow_hooks', () => {
    expect(nameOf('mongodb://h/one?replicaSet=rs', 'two')).to.equal('two');
    expect(nameOf('mongodb://user:p%2Fass@h1,h2:3/one?replicaSet=rs')).to.equal('one');
    for (const url of ['mongodb://h', 'mongodb://h/', 'mongodb://h/?tls=true', 'mongodb://u:p%2Fx@h']) {
      expect(nameOf(url), url).to.equal('flow_hooks');
    }
  });

  it('rejects an invalid URL, and does not quote the user or the password', () => {
    const urls = ['nothing', 'http://secret', 'mongodb://u:se@cret@h', 'mongodb://u:%zz@h'];
    for (const url of [...urls, 'mongodb://user:secret@h/?nonsense=1']) {
      const open = () => openMongoDb({ url });
      expect(open, url).to.throw(InvalidMongoDbUrl, /URL of MongoDB/);
      expect(open, url).not.to.throw(/cret/);
    }
  });

  it('rejects a URL that weakens the guarantees of reads and writes, in any spelling, and names the option', () => {
    for (const [option, named] of [
      ['readConcernLevel=local', /readConcernLevel/],
      ['ReadConcernLevel=available', /readConcernLevel/],
      ['journal=false', /journal/],
      ['JOURNAL=false&w=1', /journal/],
      ['j=false', /journal/],
      ['fsync=false', /journal/],
    ] as const) {
      const open = () => openMongoDb({ url: `mongodb://ada:secret@h/flows?replicaSet=rs&${option}` });
      expect(open, option).to.throw(InvalidMongoDbUrl, named);
      expect(open, option).not.to.throw(/secret/);
    }
  });

  it('accepts a URL that repeats the guarantees, and overrides its `w` and `readPreference`', () => {
    const { db } = openMongoDb({
      url: 'mongodb://h/?readConcernLevel=majority&journal=true&w=1&readPreference=secondary',
    });
    expect(db.writeConcern).to.include({ w: 'majority', journal: true });
    expect(db.readConcern?.level).to.equal('majority');
    expect(db.readPreference?.mode).to.equal('primary');
  });
});

describe('errors of the MongoDB driver', () => {
  const refusal = (code: number) => new MongoServerError({ message: 'no', code });

  it('are converted to StoreUnavailable if they are transient', () => {
    const passing = [
      new MongoNetworkError('connection reset'),
      new MongoServerSelectionError('none', { error: undefined } as never), // the only field read
      ...[10107, 13435, 189, 91, 11600, 64, 50, 1, 18].map(refusal),
    ];
    for (const error of passing) {
      const asked = asMongoError(error);
      expect(asked, error.message).to.be.instanceOf(StoreUnavailable);
      expect(asked).to.have.property('cause', error);
    }
  });

  it('stay unchanged if the command is invalid or the key is a duplicate', () => {
    const own = new RangeError('ours');
    for (const error of [...[11000, 2, 9, 14, 59].map(refusal), own]) expect(asMongoError(error)).to.equal(error);
  });
});

onMongoDb('a bulk write that fails', ({ database }) => {
  it('is logged without its documents', async () => {
    const rows = database(crypto.randomUUID()).db.collection<{ _id: number; hookUrl: string }>('rows');
    const row = { _id: 1, hookUrl: 'https://hooks.example.com/capability' };
    const failure = await rejection(rows.insertMany([row, row], { ordered: false }));
    expect(failure).to.be.instanceOf(MongoBulkWriteError);
    expect(JSON.stringify(failure)).to.include('capability'); // otherwise the test would prove nothing
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    for (const code of [11000, 11602]) {
      log.error({ err: asMongoError(Object.assign(failure as MongoBulkWriteError, { code })) }, 'failed');
    }
    expect(lines).to.have.length(2);
    expect(lines[0]).to.include('11000');
    expect(lines[1]).to.include('11602').and.include('store_unavailable');
    expect(lines.join()).not.to.include('capability');
  });
});

onMongoDb('losing MongoDB', () => {
  onStoppableMongoDb(() => {
    let server: MongoDbServer;
    let database: MongoDatabase;

    before(async () => {
      server = await startMongoDb();
      database = openMongoDb({ url: server.url });
    });
    after(async () => {
      await database?.close();
      await server?.stop?.();
    });

    it('rejects with StoreUnavailable within seconds, and reconnects by itself', async () => {
      const rows = database.db.collection<{ _id: number }>('rows');
      await rows.insertOne({ _id: 1 });
      await server.stop?.();
      const read = withMongoErrors(() => rows.findOne());
      const write = withMongoErrors(() => rows.updateOne({ _id: 1 }, { $set: { x: 1 } }));
      const several = withMongoErrors(() =>
        rows.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { $set: { x: 1 } } } }], { ordered: false }),
      );
      for (const call of await Promise.all([read, write, several].map(rejection))) {
        expect(call).to.be.instanceOf(StoreUnavailable).with.property('message', 'MongoDB: it cannot be reached');
      }
      await server.restart?.({ keepData: true });
      expect(await withMongoErrors(() => rows.findOne())).to.deep.equal({ _id: 1 });
    });
  });
});
