import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type Sleeper, type Wakeups, wakeups } from '../../../src/stores/event-store/sqlite/wakeups.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('those who wait for new events in SQLite', () => {
  let database: Database.Database;
  let signals: Wakeups;
  let heardOfOthers: number;

  beforeEach(() => {
    database = new Database(`${temporaryDirectory()}/events.db`);
    heardOfOthers = 0;
    signals = wakeups(database, {
      onOthers() {
        heardOfOthers += 1;
      },
    });
  });
  afterEach(() => {
    signals.close();
    database.close();
  });

  const sleeper = (categories?: readonly string[], signal?: AbortSignal): Sleeper =>
    signals.sleeper({ filter: categories && { categories }, signal });

  /** Names of those who woke, in their order. */
  function sleepers() {
    const woken: string[] = [];
    const sleep = async (name: string, categories?: readonly string[]) => {
      const one = sleeper(categories);
      await one.sleepSince(one.count());
      woken.push(name);
    };
    return { woken, sleep };
  }

  it('wake at once when it concerns them, and the others a moment later', async () => {
    const { woken, sleep } = sleepers();
    const all = [sleep('flows', ['flow', 'listener']), sleep('keys', ['keys']), sleep('all')];
    signals.wake(new Set(['flow']));
    await Promise.all([all[0], all[2]]);
    expect(woken).to.deep.equal(['flows', 'all']);
    await all[1];
  });

  it('do not sleep where there was news since they looked', async () => {
    const [flows, keys] = [sleeper(['flow']), sleeper(['keys'])];
    const seen = flows.count();
    signals.wake(new Set(['flow']));
    await flows.sleepSince(seen);
    expect([flows.count(), keys.count()]).to.deep.equal([seen + 1, 0]);
  });

  it('wake at once, and no longer sleep, when they are ended', async () => {
    const ending = new AbortController();
    const one = sleeper(['keys'], ending.signal);
    const slept = one.sleepSince(one.count());
    ending.abort();
    await slept;
    await one.sleepSince(one.count());
  });

  it('wake where they are closed', async () => {
    const one = sleeper(['keys']);
    const slept = one.sleepSince(one.count());
    one.close();
    await slept;
  });

  it('all wake if the categories of the new events are not known', async () => {
    const { woken, sleep } = sleepers();
    const all = [sleep('flows', ['flow']), sleep('keys', ['keys'])];
    signals.wake();
    await Promise.all(all);
    expect(woken).to.have.lengthOf(2);
  });

  it('are notified of the writes of another connection', async () => {
    const another = new Database(database.name);
    const { woken, sleep } = sleepers();
    const slept = sleep('keys', ['keys']);
    another.exec('CREATE TABLE written (by TEXT)');
    await slept;
    expect([woken, heardOfOthers]).to.deep.equal([['keys'], 1]);
    another.close();
  });
});
