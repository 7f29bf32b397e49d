import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { newEvent, newEvents } from '../../contract/event-store/support.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('deletions of the SQLite event store', () => {
  const filesWith = (directory: string, text: string): readonly string[] =>
    readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(text));

  it('is in none of its files, including the log, once it is deleted', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.append(`a-kept-${index}`, [newEvent({ text: 'kept' })])),
      );
      await store.append(`a-gone-${round % 3}`, [newEvent({ secret: `confidential ${'x'.repeat(round * 500)}` })]);
    }
    expect(filesWith(directory, 'confidential')).not.to.deep.equal([]);
    await Promise.all([0, 1, 2].map((number) => store.deleteStream(`a-gone-${number}`)));
    expect(filesWith(directory, 'confidential')).to.deep.equal([]);
    expect(filesWith(directory, 'a-gone')).to.deep.equal([]);
    expect(filesWith(directory, 'a-kept')).to.deep.equal(['events.db']);
    await store.close();
  });

  it('is overwritten by a repeat if another connection kept the log from being truncated', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory, busyTimeoutMs: 50 });
    await store.append('a-gone', [newEvent({ secret: 'confidential' })]);
    const reader = new Database(join(directory, 'events.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();

    expect(await rejection(store.deleteStream('a-gone'))).to.be.instanceOf(StoreUnavailable);
    reader.exec('COMMIT');
    await store.deleteStream('a-gone');
    expect(filesWith(directory, 'confidential')).to.deep.equal([]);
    reader.close();
    await store.close();
  });

  it('is given to no subscription from then on, whichever process has deleted it', async () => {
    const directory = temporaryDirectory();
    const [store, other] = [openSqliteEventStore({ directory }), openSqliteEventStore({ directory })];
    await store.append('a-gone', newEvents(1));
    await store.append('a-kept', newEvents(1));
    await other.deleteStream('a-gone');
    for await (const { events } of store.subscribe()) {
      expect(events.map(({ stream }) => stream)).to.deep.equal(['a-kept']);
      break;
    }
    await store.close();
    await other.close();
  });

  it('ends a read that is under way, which is given nothing of another stream', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    await store.append('a-gone', newEvents(1_500));
    const streams = new Set<string>();
    let read = 0;
    for await (const { stream } of store.readStream('a-gone')) {
      streams.add(stream);
      read += 1;
      if (read !== 1) continue;
      await store.deleteStream('a-gone');
      await store.append('a-other', newEvents(1_500)); // it gets the number in the file that is free again
    }
    expect([...streams]).to.deep.equal(['a-gone']);
    expect(read).to.be.below(1_500);
    await store.close();
  });
});
