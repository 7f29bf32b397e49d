import { expect } from 'chai';
import { type Collection, type Db, MongoBulkWriteError, MongoClient } from 'mongodb';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { rejection } from '../support/rejection.js';

type Listener = { id: string; tries: number };
type Row = {
  _id: string;
  position?: bigint;
  due?: number;
  state?: string;
  worker?: string;
  org?: string;
  listeners?: Listener[];
};

/** Behaviour that the adapters need. It holds on every server that the tests may get: none of it is about the stand-in. */
onMongoDb('the MongoDB that the tests get', ({ server }) => {
  let client: MongoClient;
  let db: Db;
  let rows: Collection<Row>;

  before(async () => {
    client = await new MongoClient(server.url, {
      useBigInt64: true,
      writeConcern: { w: 'majority', j: true },
    }).connect();
    db = client.db(`flow-hooks-test-${process.pid}-stand-in`);
  });
  beforeEach(async () => {
    await db.dropDatabase();
    rows = db.collection<Row>('rows');
  });
  after(async () => {
    await db?.dropDatabase();
    await client?.close();
  });

  const put = (_id: string, position: bigint, fields = {}) => ({
    updateOne: {
      filter: { _id, position: { $lt: position } },
      update: { $set: { ...fields, position } },
      upsert: true,
    },
  });

  it('writes by a guarded upsert, and answers E11000 where the document is newer', async () => {
    expect(
      await rows.updateOne({ _id: 'a', position: { $lt: 5n } }, { $set: { position: 5n } }, { upsert: true }),
    ).to.include({
      matchedCount: 0,
      upsertedCount: 1,
    });
    expect(
      await rows.updateOne({ _id: 'a', position: { $lt: 7n } }, { $set: { position: 7n } }, { upsert: true }),
    ).to.include({
      matchedCount: 1,
      upsertedCount: 0,
    });
    const older = rows.updateOne({ _id: 'a', position: { $lt: 6n } }, { $set: { position: 6n } }, { upsert: true });
    expect(await rejection(older)).to.include({ code: 11000 });
    expect(await rows.findOne({ _id: 'a' })).to.deep.equal({ _id: 'a', position: 7n });
  });

  it('applies the others of an unordered batch, and names those that failed by their index', async () => {
    await rows.insertOne({ _id: 'newer', position: 9n });
    const error = await rejection(rows.bulkWrite([put('a', 5n), put('newer', 5n), put('b', 5n)], { ordered: false }));
    if (!(error instanceof MongoBulkWriteError)) throw error;
    expect([error.writeErrors].flat().map(({ index, code }) => ({ index, code }))).to.deep.equal([
      { index: 1, code: 11000 },
    ]);
    expect(error.result).to.include({ upsertedCount: 2, matchedCount: 0 });
    expect(error.result.upsertedIds).to.deep.equal({ 0: 'a', 2: 'b' });
    expect(await rows.countDocuments()).to.equal(3);
  });

  it('stops an ordered batch at the first failure', async () => {
    await rows.insertOne({ _id: 'newer', position: 9n });
    const error = await rejection(rows.bulkWrite([put('a', 5n), put('newer', 5n), put('b', 5n)]));
    expect(error).to.include({ code: 11000 });
    expect(await rows.distinct('_id')).to.have.members(['a', 'newer']);
  });

  it('inserts and counts the new documents of an unordered insertMany', async () => {
    await rows.insertOne({ _id: 'b' });
    const error = await rejection(rows.insertMany([{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }], { ordered: false }));
    if (!(error instanceof MongoBulkWriteError)) throw error;
    expect([error.writeErrors].flat().map(({ index, code }) => ({ index, code }))).to.deep.equal([
      { index: 1, code: 11000 },
    ]);
    expect(error.insertedCount).to.equal(2);
    expect(await rows.estimatedDocumentCount()).to.equal(3);
  });

  it('sets on insert only, increments, and takes the greater', async () => {
    const write = () =>
      rows.findOneAndUpdate(
        { _id: 'a' },
        { $setOnInsert: { first: true }, $inc: { attempts: 1 }, $max: { position: 3n } },
        { upsert: true, returnDocument: 'after' },
      );
    expect(await write()).to.deep.equal({ _id: 'a', first: true, attempts: 1, position: 3n });
    expect(await write()).to.deep.equal({ _id: 'a', first: true, attempts: 2, position: 3n });
  });

  it('takes the first by order, and changes one element of an array', async () => {
    await rows.insertMany([
      { _id: 'late', due: 2, listeners: [{ id: 'x', tries: 0 }] },
      {
        _id: 'early',
        due: 1,
        listeners: [
          { id: 'x', tries: 0 },
          { id: 'y', tries: 0 },
        ],
      },
    ]);
    const taken = await rows.findOneAndUpdate(
      { due: { $lte: 5 } },
      { $inc: { 'listeners.$[listener].tries': 1 } },
      { sort: { due: 1 }, arrayFilters: [{ 'listener.id': 'y' }], returnDocument: 'after' },
    );
    expect(taken).to.deep.equal({
      _id: 'early',
      due: 1,
      listeners: [
        { id: 'x', tries: 0 },
        { id: 'y', tries: 1 },
      ],
    });
  });

  it('leases a batch to one of two workers that want the same', async () => {
    await rows.insertMany(
      Array.from({ length: 20 }, (_, index) => ({ _id: `${index}`, state: 'waiting', due: index })),
    );
    const lease = async (worker: string) => {
      const wanted = await rows
        .find({ state: 'waiting', due: { $lte: 9 } })
        .sort({ due: 1 })
        .limit(10)
        .project({ _id: 1 })
        .toArray();
      const ids = wanted.map(({ _id }) => _id);
      await rows.updateMany({ _id: { $in: ids }, state: 'waiting' }, { $set: { state: 'leased', worker } });
      return rows.countDocuments({ worker });
    };
    const [one = 0, other = 0] = await Promise.all([lease('one'), lease('other')]);
    expect(one + other).to.equal(10);
  });

  it('finds a range in order, with a limit and a projection, and deletes one', async () => {
    await rows.insertMany(
      Array.from({ length: 10 }, (_, index) => ({ _id: `${index}`, position: BigInt(index), org: 'x' })),
    );
    const found = await rows
      .find({ position: { $gt: 2n, $lte: 6n } })
      .sort({ position: -1 })
      .limit(2)
      .project({ position: 1 })
      .toArray();
    expect(found).to.deep.equal([
      { _id: '6', position: 6n },
      { _id: '5', position: 5n },
    ]);
    expect((await rows.deleteMany({ position: { $lt: 4n } })).deletedCount).to.equal(4);
    expect(await rows.countDocuments({ position: { $gte: 0n } })).to.equal(6);
  });

  it('keeps int64 exactly, and in order, as bigint', async () => {
    const positions = [9007199254740993n, 9007199254740992n, 9223372036854775807n, 5n];
    await rows.createIndex({ position: 1 }, { unique: true });
    await rows.insertMany(positions.map((position) => ({ _id: `${position}`, position })));
    const sorted = await rows.find().sort({ position: 1 }).toArray();
    expect(sorted.map(({ position }) => position)).to.deep.equal([
      5n,
      9007199254740992n,
      9007199254740993n,
      9223372036854775807n,
    ]);
    expect(await rows.findOne({ position: { $gt: 9007199254740992n, $lt: 9007199254740994n } })).to.include({
      position: 9007199254740993n,
    });
  });

  it('groups and counts', async () => {
    await rows.insertMany(['x', 'y', 'x'].map((org, index) => ({ _id: `${index}`, org, position: BigInt(index) })));
    const groups = await rows
      .aggregate([
        { $match: { position: { $gte: 0n } } },
        { $group: { _id: '$org', n: { $sum: 1 }, last: { $max: '$position' } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(groups).to.deep.equal([
      { _id: 'x', n: 2, last: 2n },
      { _id: 'y', n: 1, last: 1n },
    ]);
  });

  it('renames over an existing collection, with the indexes, and leaves the old name free', async () => {
    await rows.createIndex({ org: 1 }, { unique: true });
    await rows.insertOne({ _id: 'a', org: 'x' });
    const live = db.collection<Row>('live');
    await live.insertOne({ _id: 'old' });
    await db.renameCollection('rows', 'live', { dropTarget: true });
    expect(await live.distinct('_id')).to.deep.equal(['a']);
    expect(await rejection(live.insertOne({ _id: 'b', org: 'x' }))).to.include({ code: 11000 });
    await rows.insertOne({ _id: 'a', org: 'x' });
    expect(await rows.findOne({ org: 'x' })).to.deep.equal({ _id: 'a', org: 'x' });
    expect(await rejection(db.renameCollection('absent', 'live', { dropTarget: true }))).to.include({ code: 26 });
  });

  it('answers 64 finds at once', async () => {
    await rows.insertMany(Array.from({ length: 500 }, (_, index) => ({ _id: `${index}` })));
    const found = await Promise.all(Array.from({ length: 64 }, (_, index) => rows.findOne({ _id: `${index}` })));
    expect(found.map((row) => row?._id)).to.deep.equal(Array.from({ length: 64 }, (_, index) => `${index}`));
    expect(await rows.find().batchSize(7).toArray()).to.have.lengthOf(500);
  });

  it('says who it is, and how much it holds', async () => {
    await rows.insertOne({ _id: 'a' });
    expect(await db.admin().command({ hello: 1 })).to.include({ isWritablePrimary: true });
    expect(await db.admin().ping()).to.include({ ok: 1 });
    expect((await db.stats()).objects).to.be.oneOf([1, 1n]);
    expect((await db.command({ collStats: 'rows' })).count).to.be.oneOf([1, 1n]);
  });
});
