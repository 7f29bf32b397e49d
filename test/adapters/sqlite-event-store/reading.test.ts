import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { collect, newEvents } from '../../contract/event-store/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('reading from the SQLite event store', () => {
  let store: EventStore;
  let database: Database.Database;

  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    database = new Database(join(directory, 'events.db'));
  });
  afterEach(async () => {
    database.close();
    await store.close();
  });

  /** Milliseconds, the fastest of five. */
  async function timeOf(work: () => Promise<unknown>): Promise<number> {
    let fastest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      await work();
      fastest = Math.min(fastest, performance.now() - start);
    }
    return fastest;
  }

  it('holds up no checkpoint of the log while a reader takes its time', async () => {
    await store.append('a-1', newEvents(3000));
    const reads = [store.readStream('a-1'), store.readAll(), store.subscribe()].map((read) =>
      read[Symbol.asyncIterator](),
    );
    for (const read of reads) expect((await read.next()).done).to.equal(false);
    await store.append('a-1', newEvents(1));
    expect(database.pragma('wal_checkpoint(TRUNCATE)')).to.deep.equal([{ busy: 0, log: 0, checkpointed: 0 }]);
    for (const read of reads) await read.return?.();
  });

  it('gives nothing, and no position to begin from, that a loss of power could still take away', async () => {
    const syncs: (() => void)[] = [];
    const sync = () => new Promise<void>((resolve) => syncs.push(resolve));
    const unsynced = openSqliteEventStore({ directory: temporaryDirectory(), sync });
    const appended = unsynced.append('a-1', newEvents(2));
    await until(() => syncs.length === 1, 'the commit, which waits for its sync');
    const given: string[] = [];
    const first = async (name: string, all: AsyncIterable<unknown>) => {
      for await (const _ of all) return given.push(name);
      return expect.fail(`${name} has ended`);
    };
    const last = { direction: 'backwards', limit: 1 } as const;
    const reads = [
      first('stream', unsynced.readStream('a-1', last)),
      first('all', unsynced.readAll()),
      first('end', unsynced.subscribe({ from: 'end' })),
    ];
    await nextTurn();
    expect(given).to.deep.equal([]);
    const finishing = setInterval(() => {
      for (const finish of syncs.splice(0)) finish();
    }, 1);
    await Promise.all([appended, ...reads]);
    await unsynced.close();
    clearInterval(finishing);
    expect(given).to.have.members(['stream', 'all', 'end']);
  });

  it('costs nothing for filtered events, nor for those before the end of a stream', async () => {
    await store.append('rare-1', newEvents(5));
    for (let count = 0; count < 30; count += 1) await store.append('frequent-1', newEvents(1000));
    await store.append('seldom-1', newEvents(5));

    const everything = await timeOf(() => collect(store.readAll()));
    const filter = { categories: ['rare', 'seldom', 'never'] };
    expect(await collect(store.readAll({ filter }))).to.have.length(10);
    for (const direction of ['forwards', 'backwards'] as const) {
      expect((await timeOf(() => collect(store.readAll({ filter, direction })))) / everything).to.be.below(0.1);
    }
    const last = () => collect(store.readStream('frequent-1', { direction: 'backwards', limit: 1 }));
    expect((await timeOf(last)) / everything).to.be.below(0.1);
  });

  it('gives an event whose JSON was damaged without its data, so that a decoder can name it', async () => {
    await store.append('a-1', newEvents(1));
    database.exec("UPDATE events SET data = '{'");
    const [event] = await collect(store.readStream('a-1'));
    expect(event).to.include({ stream: 'a-1', revision: 0n, data: undefined });
  });
});
