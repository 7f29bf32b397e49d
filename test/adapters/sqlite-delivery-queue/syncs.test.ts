import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { deliveriesFile } from '../../../src/queue/sqlite/schema.js';
import { openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { openGroupCommit } from '../../../src/stores/sqlite/group-commit.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('syncs of the SQLite queue', () => {
  let database: Database.Database;
  let syncs: { resolve: () => void; reject: (error: Error) => void }[];
  let calls: ReturnType<typeof openGroupCommit>;

  beforeEach(() => {
    database = openDatabaseFile(temporaryDirectory(), deliveriesFile);
    syncs = [];
    const synced = () => new Promise<void>((resolve, reject) => syncs.push({ resolve, reject }));
    calls = openGroupCommit(database, { wal: { synced }, busyTimeoutMs: 5_000 });
  });
  afterEach(() => database.close());

  it('are awaited by `call` after its commit, and not by `callWithoutSync`', async () => {
    let inTransaction = true;
    let settled = false;
    const called = calls.call(() => 1).then(() => (settled = true));
    await calls.callWithoutSync(() => 2);
    ({ inTransaction } = database);
    expect([inTransaction, settled, syncs.length]).to.deep.equal([false, false, 1]);
    syncs[0]?.resolve();
    await called;
  });

  it('that fail reject the calls that wait for them', async () => {
    const called = rejection(calls.call(() => 1));
    await calls.callWithoutSync(() => 2);
    const failure = new StoreUnavailable('the disk is gone');
    syncs[0]?.reject(failure);
    expect(await called).to.equal(failure);
  });

  it('follow a call that did not wait for one, unless it wrote nothing', async () => {
    await calls.callWithoutSync(() => database.prepare('SELECT count(*) FROM messages').get());
    await pause(400);
    expect(syncs).to.have.lengthOf(0);
    await calls.callWithoutSync(() => database.exec("INSERT INTO checkpoints (reader, position) VALUES ('a', 1)"));
    expect(syncs).to.have.lengthOf(0);
    await until(() => syncs.length === 1, 'the sync');
  });

  it('follow calls that are run alone after their shared transaction failed', async () => {
    const failing = rejection(calls.callWithoutSync(() => database.exec('no SQL')));
    await calls.callWithoutSync(() => database.exec("INSERT INTO checkpoints (reader, position) VALUES ('a', 1)"));
    await failing;
    await until(() => syncs.length === 1, 'the sync');
  });

  it('follow the waiting calls when the queue is closed, and later calls are refused', async () => {
    const ran: number[] = [];
    const called = calls.callWithoutSync(() => ran.push(1));
    const closed = calls.close();
    await until(() => syncs.length === 1, 'the sync');
    expect(ran).to.deep.equal([1]);
    syncs[0]?.resolve();
    await Promise.all([called, closed]);
    expect(await rejection(calls.call(() => ran.push(2)))).to.be.instanceOf(StoreUnavailable);
    expect(ran).to.deep.equal([1]);
  });
});
