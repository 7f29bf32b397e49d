import { expect } from 'chai';
import { type Collection, type Db, type Document, type IndexDescription, MongoClient, type Sort } from 'mongodb';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { rejection } from '../support/rejection.js';

type Row = { _id: number | string; [field: string]: unknown };

/** The names of the indexes a plan reads, wherever in it they stand. */
function indexesOf(plan: Document): string[] {
  const found = typeof plan.indexName === 'string' ? [plan.indexName] : [];
  const inner = [plan.inputStage, plan.queryPlan, ...(plan.inputStages ?? [])].filter(Boolean);
  return [...found, ...inner.flatMap(indexesOf)];
}

onMongoDb('indexes on the MongoDB that the tests get', ({ server }) => {
  let client: MongoClient;
  let db: Db;
  let rows: Collection<Row>;

  before(async () => {
    client = await new MongoClient(server.url).connect();
    db = client.db(`flow-hooks-test-${process.pid}-indexes`);
  });
  beforeEach(async () => {
    await db.dropDatabase();
    rows = db.collection<Row>('rows');
  });
  after(async () => {
    await db?.dropDatabase();
    await client?.close();
  });

  it('refuses a second of a unique, compound key', async () => {
    await rows.createIndex({ org: 1, listener: 1 }, { unique: true });
    await rows.insertMany([
      { _id: 1, org: 'x', listener: 'a' },
      { _id: 2, org: 'x', listener: 'b' },
    ]);
    expect(await rejection(rows.insertOne({ _id: 3, org: 'x', listener: 'a' }))).to.include({ code: 11000 });
    expect(await rejection(rows.updateOne({ _id: 2 }, { $set: { listener: 'a' } }))).to.include({ code: 11000 });
    expect(await rows.findOne({ org: 'x', listener: 'b' })).to.include({ _id: 2 });
  });

  it('lets a partial one guard only what it covers', async () => {
    await rows.createIndex({ listener: 1 }, { unique: true, partialFilterExpression: { active: true } });
    await rows.insertMany([
      { _id: 1, listener: 'a', active: true },
      { _id: 2, listener: 'a', active: false },
      { _id: 3, listener: 'a' },
    ]);
    expect(await rejection(rows.updateOne({ _id: 2 }, { $set: { active: true } }))).to.include({ code: 11000 });
    await rows.updateOne({ _id: 1 }, { $set: { active: false } });
    expect(await rows.updateOne({ _id: 2 }, { $set: { active: true } })).to.include({ modifiedCount: 1 });
  });

  it('makes them again and again at every start, and refuses one that differs', async () => {
    const indexes: IndexDescription[] = [
      { key: { org: 1, listener: 1 }, unique: true },
      { key: { state: 1, due: 1 }, partialFilterExpression: { state: 'waiting' } },
      { key: { expires: 1 }, expireAfterSeconds: 60 },
    ];
    const names = await rows.createIndexes(indexes);
    expect(await rows.createIndexes(indexes)).to.deep.equal(names);
    expect((await rows.indexes()).map(({ name }) => name)).to.have.members(['_id_', ...names]);
    expect((await rows.indexes()).find(({ name }) => name === 'expires_1')).to.include({ expireAfterSeconds: 60 });
    expect((await rejection(rows.createIndex({ expires: 1 }, { expireAfterSeconds: 5 }))) as object).to.have.property(
      'code',
      85,
    );
    expect(await rejection(db.collection('absent').indexes())).to.include({ code: 26 });
  });

  it('refuses a unique one over duplicates', async () => {
    await rows.insertMany([
      { _id: 1, listener: 'a' },
      { _id: 2, listener: 'a' },
    ]);
    expect(await rejection(rows.createIndex({ listener: 1 }, { unique: true }))).to.include({ code: 11000 });
  });

  it('reads no more than the batch where the lease query has its index, and says so in the plan', async () => {
    await rows.createIndex({ state: 1, due: 1 });
    await rows.insertMany(
      Array.from({ length: 500 }, (_, index) => ({ _id: index, state: index % 2 ? 'waiting' : 'done', due: index })),
    );
    const waiting = rows
      .find({ state: 'waiting', due: { $lte: 400 } })
      .sort({ due: 1 })
      .limit(20);
    const { queryPlanner, executionStats } = await waiting.explain('executionStats');
    expect(indexesOf(queryPlanner.winningPlan)).to.deep.equal(['state_1_due_1']);
    expect(JSON.stringify(queryPlanner.winningPlan)).not.to.contain('"SORT"');
    expect(executionStats).to.include({ nReturned: 20, totalDocsExamined: 20 });
    expect(indexesOf((await rows.find({ other: 1 }).explain('queryPlanner')).queryPlanner.winningPlan)).to.deep.equal(
      [],
    );
  });

  it('answers the same with an index as without', async () => {
    const values = [null, 0, 1, 2, 3, 'a', 'b', true, undefined];
    let seed = 7;
    const any = <T>(list: readonly T[]): T => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return list[seed % list.length] as T; // the index is within the list
    };
    const documents = Array.from({ length: 120 }, (_, _id) => {
      const [a, b] = [any(values), any(values)];
      return { _id, ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) };
    });
    const bare = db.collection<Row>('bare');
    await rows.createIndexes([
      { key: { a: 1, b: -1 } },
      { key: { b: 1 } },
      { key: { b: 1, a: 1 }, name: 'some', partialFilterExpression: { a: 1 } },
    ]);
    await Promise.all([rows.insertMany(documents), bare.insertMany(documents)]);
    await Promise.all([rows, bare].map((each) => each.updateMany({ a: 2 }, { $set: { b: 1 } })));
    await Promise.all([rows, bare].map((each) => each.deleteMany({ b: 'a' })));

    const condition = () =>
      any([
        any(values.slice(0, -1)),
        { $gt: any([0, 1, 'a']) },
        { $gte: 1, $lt: 3 },
        { $lte: any([1, 'a']) },
        { $in: [1, 'a', null] },
        { $ne: 1 },
      ]);
    for (let round = 0; round < 150; round += 1) {
      const filter = { ...any([{ a: condition() }, { b: condition() }, { a: condition(), b: condition() }]) };
      const sort = any<Sort>([
        { a: 1, b: -1, _id: 1 },
        { a: -1, b: 1, _id: 1 },
        { b: 1, _id: 1 },
        { b: -1, _id: -1 },
      ]);
      const [indexed, scanned] = await Promise.all([rows, bare].map((each) => each.find(filter).sort(sort).toArray()));
      expect(indexed, JSON.stringify({ filter, sort })).to.deep.equal(scanned);
    }
  });
});
