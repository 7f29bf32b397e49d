import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { openDatabaseFile } from '../../../src/data-directory/database-file.js';
import { groupCalls } from '../../../src/deliveries/sqlite/grouped-calls.js';
import { deliveriesFile } from '../../../src/deliveries/sqlite/schema.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('syncs of the SQLite queue', () => {
  let database: Database.Database;
  let calls: ReturnType<typeof groupCalls>;

  beforeEach(() => {
    database = openDatabaseFile(temporaryDirectory(), deliveriesFile);
    calls = groupCalls(database);
  });
  afterEach(() => {
    calls.close();
    database.close();
  });

  /** As SQLite numbers them: 1 is NORMAL, 2 is FULL. */
  const syncing = () => database.pragma('synchronous', { simple: true });

  it('come with every commit, unless all that it holds does without', async () => {
    expect(await calls.call(syncing)).to.equal(2);
    expect(await calls.call(syncing, { synced: false })).to.equal(1);
    expect(await Promise.all([calls.call(syncing, { synced: false }), calls.call(syncing)])).to.deep.equal([2, 2]);
    expect(await calls.call(syncing)).to.equal(2);
  });

  it('come with a call that has to be done again by itself', async () => {
    const failing = calls.call(() => {
      throw new RangeError('no');
    });
    const [failure, level] = await Promise.allSettled([failing, calls.call(syncing, { synced: false })]);
    expect(failure.status).to.equal('rejected');
    expect(level).to.include({ value: 2 });
  });
});
