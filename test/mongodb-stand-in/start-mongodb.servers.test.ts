import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { startMongoJavaServer } from '../support/mongodb/mongo-java-server.js';
import { type MongoDbServer, NoMongoDb } from '../support/mongodb/mongodb-server.js';
import { startMongoDb } from '../support/mongodb/start-mongodb.js';
import { rejection } from '../support/rejection.js';
import { needs } from '../support/run/programs.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

type Row = { _id: number; at?: Date };

if (needs('java')) describe('the stand-in for MongoDB', standInTests);

function standInTests(this: Mocha.Suite): void {
  this.timeout(180_000);
  let server: MongoDbServer;
  let client: MongoClient;

  beforeEach(async () => {
    server = await startMongoJavaServer({});
    client = new MongoClient(server.url, { heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 10_000 });
  });
  afterEach(async () => {
    await client?.close();
    await server?.stop?.();
  });
  const rows = () => client.db('test').collection<Row>('rows');

  it('keeps its data and its indexes over a stop, at the same address, and loses them where it is told to', async () => {
    await rows().createIndex({ at: 1 }, { unique: true });
    await rows().insertOne({ _id: 1, at: new Date(0) });
    await server.stop?.();
    const hasty = new MongoClient(server.url, { serverSelectionTimeoutMS: 500 });
    expect(await rejection(hasty.connect())).to.be.an('error');
    await hasty.close();
    await server.restart?.({ keepData: true });
    expect(await rows().find().toArray()).to.deep.equal([{ _id: 1, at: new Date(0) }]);
    expect(await rejection(rows().insertOne({ _id: 2, at: new Date(0) }))).to.include({ code: 11000 });
    await server.restart?.({ keepData: false });
    expect(await rows().countDocuments()).to.equal(0);
  });

  it('keeps a renamed collection over a stop', async () => {
    await rows().insertOne({ _id: 1 });
    await client.db('test').renameCollection('rows', 'live');
    await rows().insertOne({ _id: 2 });
    await server.restart?.({ keepData: true });
    expect(await client.db('test').collection<Row>('live').distinct('_id')).to.deep.equal([1]);
    expect(await rows().distinct('_id')).to.deep.equal([2]);
  });

  it('loses nothing that was journalled when it is killed in the middle of writing', async () => {
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await rows().insertOne({ _id: acknowledged + 1 }, { writeConcern: { w: 'majority', j: true } });
        acknowledged += 1;
      }
    })();
    await until(() => acknowledged >= 50, '50 writes');
    await Promise.all([server.kill?.(), rejection(writing)]);
    await server.restart?.({ keepData: true });
    expect(await rows().countDocuments()).to.be.within(acknowledged, acknowledged + 1);
  });

  it('removes documents that are too old by a TTL index, and no others', async () => {
    await rows().createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await rows().insertMany([{ _id: 1, at: new Date(Date.now() - 61_000) }, { _id: 2, at: new Date() }, { _id: 3 }]);
    await until(async () => (await rows().countDocuments()) < 3, 'the old one to go');
    expect(await rows().distinct('_id')).to.deep.equal([2, 3]);
  });
}

describe('starting a MongoDB for tests', () => {
  const { MONGODB_URL, PATH } = process.env;
  const restore = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  afterEach(() => {
    restore('MONGODB_URL', MONGODB_URL);
    restore('PATH', PATH);
  });

  it('takes the server that was given, and does not offer to stop it', async () => {
    process.env.MONGODB_URL = 'mongodb://db.example:27017/';
    expect(await startMongoDb()).to.deep.equal({ kind: 'given', url: 'mongodb://db.example:27017/' });
  });

  it('starts a `mongod` of the PATH, and notices that it serves', async () => {
    delete process.env.MONGODB_URL;
    const programs = temporaryDirectory();
    const line =
      '{"c":"NETWORK","id":23016,"ctx":"listener","msg":"Waiting for connections","attr":{"port":1,"ssl":"off"}}';
    const program = `#!/bin/sh\n[ "$1" = --version ] && exit\necho '${line}'\nexec cat\n`;
    writeFileSync(join(programs, 'mongod'), program, { mode: 0o755 });
    process.env.PATH = `${programs}:${PATH}`;
    const server = await startMongoDb();
    expect(server.kind).to.equal('mongod');
    await server.stop?.();
  });

  it('names the searched object if there is none', async () => {
    delete process.env.MONGODB_URL;
    process.env.PATH = '/nowhere';
    const error = await rejection(startMongoDb());
    expect(error).to.be.instanceOf(NoMongoDb).with.property('code', 'no_mongodb');
    expect((error as Error).message).to.match(/MONGODB_URL.*\n.*mongod on the PATH.*\n.*java/);
  });
});
