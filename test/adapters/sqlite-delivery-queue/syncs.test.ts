import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { groupCalls } from '../../../src/deliveries/sqlite/grouped-calls.js';
import { deliveriesFile } from '../../../src/deliveries/sqlite/schema.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('syncs of the SQLite queue', () => {
  let database: Database.Database;
  let syncs: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
  let calls: ReturnType<typeof groupCalls>;

  beforeEach(() => {
    database = openDatabaseFile(temporaryDirectory(), deliveriesFile);
    syncs = [];
    const synced = () => new Promise<void>((resolve, reject) => syncs.push({ resolve, reject }));
    calls = groupCalls(database, { synced }, { onBegun: () => undefined, onTakenBack: () => undefined });
  });
  afterEach(() => database.close());

  it('are waited for by a call, after its commit, and not by those that need none', async () => {
    let inTransaction = true;
    let settled = false;
    const called = calls.call(() => 1).then(() => (settled = true));
    await calls.callUnsynced(() => 2);
    ({ inTransaction } = database);
    expect([inTransaction, settled, syncs.length]).to.deep.equal([false, false, 1]);
    syncs[0]?.resolve();
    await called;
  });

  it('that fail are told to those who waited', async () => {
    const called = rejection(calls.call(() => 1));
    await calls.callUnsynced(() => 2);
    const failure = new StoreUnavailable('the disk is gone');
    syncs[0]?.reject(failure);
    expect(await called).to.equal(failure);
  });

  it('come by themselves soon after what did not wait for them, and not where nothing was written', async () => {
    await calls.callUnsynced(() => database.prepare('SELECT count(*) FROM messages').get());
    await pause(400);
    expect(syncs).to.have.lengthOf(0);
    await calls.callUnsynced(() => database.exec("INSERT INTO checkpoints (reader, position) VALUES ('a', 1)"));
    expect(syncs).to.have.lengthOf(0);
    await until(() => syncs.length === 1, 'the sync');
  });

  it('come also for calls whose transaction fails for one of them, and which are done alone', async () => {
    const failing = rejection(calls.callUnsynced(() => database.exec('no SQL')));
    await calls.callUnsynced(() => database.exec("INSERT INTO checkpoints (reader, position) VALUES ('a', 1)"));
    await failing;
    await until(() => syncs.length === 1, 'the sync');
  });

  it('end with what still waits when it is closed, and nothing is taken any more', async () => {
    const ran: number[] = [];
    const called = calls.callUnsynced(() => ran.push(1));
    const closed = calls.close();
    expect(ran).to.deep.equal([1]);
    syncs[0]?.resolve();
    await Promise.all([called, closed]);
    expect(await rejection(calls.call(() => ran.push(2)))).to.be.instanceOf(StoreUnavailable);
    expect(ran).to.deep.equal([1]);
  });
});
