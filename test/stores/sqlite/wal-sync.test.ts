import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { eventsFile } from '../../../src/stores/event-store/sqlite/schema.js';
import { openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { type WalSync, walSync } from '../../../src/stores/sqlite/wal-sync.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('syncing the log of a database', () => {
  let database: Database.Database;
  let log: WalSync;
  let syncs: { resolve: () => void; reject: (error: Error) => void }[];

  beforeEach(() => {
    database = openDatabaseFile(temporaryDirectory(), eventsFile);
    syncs = [];
    log = walSync(database, () => new Promise<void>((resolve, reject) => syncs.push({ resolve, reject })));
    database.prepare("INSERT INTO streams (name) VALUES ('a-1')").run();
  });
  afterEach(() => database.close());

  it('is not done by commits themselves', () => {
    expect(database.pragma('synchronous', { simple: true })).to.equal(1); // NORMAL, as SQLite numbers them
  });

  it('is shared by all calls during a running sync, and never by earlier ones', async () => {
    const done: string[] = [];
    const ask = (name: string) => log.synced().then(() => done.push(name));
    const first = ask('first');
    await until(() => syncs.length === 1, 'the first sync');
    const others = [ask('second'), ask('third')];
    syncs[0]?.resolve();
    await until(() => syncs.length === 2, 'the second sync');
    expect(done).to.deep.equal(['first']);
    syncs[1]?.resolve();
    await Promise.all([first, ...others]);
    expect(syncs).to.have.lengthOf(2);
  });

  it('runs one at a time, also for calls at the moment one has ended', async () => {
    const asksAgain = log.synced().then(() => log.synced());
    await until(() => syncs.length === 1, 'the first sync');
    const other = log.synced();
    syncs[0]?.resolve();
    await until(() => syncs.length > 1, 'the second sync');
    await nextTurn();
    expect(syncs).to.have.lengthOf(2);
    syncs[1]?.resolve();
    await other;
    await nextTurn();
    for (const { resolve } of syncs) resolve();
    await asksAgain;
  });

  it('that has failed once is not trusted again', async () => {
    const first = rejection(log.synced());
    await until(() => syncs.length === 1, 'the sync');
    const second = rejection(log.synced());
    syncs[0]?.reject(new Error('EIO: i/o error, fdatasync'));
    for (const error of [await first, await second, await rejection(log.synced())]) {
      expect(error).to.be.instanceOf(StoreUnavailable).with.property('message').that.matches(/EIO/);
    }
    expect(syncs).to.have.lengthOf(1);
  });

  it('is waited for when it is closed', async () => {
    let closed = false;
    const synced = log.synced();
    const closing = log.close().then(() => {
      closed = true;
    });
    await until(() => syncs.length === 1, 'the sync');
    expect(closed).to.equal(false);
    syncs[0]?.resolve();
    await Promise.all([synced, closing]);
  });

  it('reaches the disk where there is one', async () => {
    const real = walSync(database);
    await real.synced();
    await real.close();
  });

  it('does nothing when nothing was written', async () => {
    database.pragma('wal_checkpoint(TRUNCATE)');
    const empty = openDatabaseFile(temporaryDirectory(), eventsFile);
    await walSync(empty).synced();
    empty.close();
  });
});
