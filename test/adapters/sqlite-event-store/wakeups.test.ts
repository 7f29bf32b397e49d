import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type Wakeups, wakeups } from '../../../src/event-store/sqlite/wakeups.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('those who wait for new events in SQLite', () => {
  let database: Database.Database;
  let news: Wakeups;
  let heardOfOthers: number;

  beforeEach(() => {
    database = new Database(`${temporaryDirectory()}/events.db`);
    heardOfOthers = 0;
    news = wakeups(database, () => {
      heardOfOthers += 1;
    });
  });
  afterEach(() => database.close());

  /** Names of those who woke, in their order. */
  function sleepers() {
    const woken: string[] = [];
    const sleep = async (name: string, categories?: readonly string[]) => {
      const filter = categories && { categories };
      await news.after(news.count(filter), { filter, signal: undefined });
      woken.push(name);
    };
    return { woken, sleep };
  }

  it('wake at once when it concerns them, and the others a moment later', async () => {
    const { woken, sleep } = sleepers();
    const all = [sleep('flows', ['flow', 'listener']), sleep('keys', ['keys']), sleep('all')];
    news.wake(new Set(['flow']));
    await Promise.all([all[0], all[2]]);
    expect(woken).to.deep.equal(['flows', 'all']);
    await all[1];
  });

  it('do not sleep where there was news since they looked', async () => {
    const filter = { categories: ['flow'] };
    const seen = news.count(filter);
    news.wake(new Set(['flow']));
    await news.after(seen, { filter, signal: undefined });
    expect(news.count(filter)).to.equal(seen + 1);
    expect(news.count({ categories: ['keys'] })).to.equal(0);
  });

  it('all wake when nobody says what it concerns', async () => {
    const { woken, sleep } = sleepers();
    const all = [sleep('flows', ['flow']), sleep('keys', ['keys'])];
    news.wake();
    await Promise.all(all);
    expect(woken).to.have.lengthOf(2);
  });

  it('hear of what another connection has written', async () => {
    const another = new Database(database.name);
    const { woken, sleep } = sleepers();
    const slept = sleep('keys', ['keys']);
    another.exec('CREATE TABLE written (by TEXT)');
    await slept;
    expect([woken, heardOfOthers]).to.deep.equal([['keys'], 1]);
    another.close();
  });
});
