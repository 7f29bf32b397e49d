import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('an SQLite event store that another thread notifies', () => {
  it('does not look for appends of other processes by itself, and reads them when it is notified', async () => {
    const directory = temporaryDirectory();
    const notified: unknown[] = [];
    const polling = openSqliteEventStore({ directory, onAppended: (committed) => notified.push(committed) });
    const reading = openSqliteEventStore({ directory, polls: false });
    const other = openSqliteEventStore({ directory });
    const types: string[] = [];
    const subscribed = (async () => {
      for await (const { events } of reading.subscribe({})) types.push(...events.map(({ type }) => type));
    })();
    await pause(50); // it has caught up, and sleeps
    await other.append('stream-1', [{ id: crypto.randomUUID(), type: 'Appended', data: {}, metadata: {} }]);
    await until(() => notified.length > 0, 'the store that polls to notice');
    expect(notified).to.deep.equal([undefined]);
    await pause(600);
    expect(types).to.deep.equal([]);
    reading.wakeUp();
    await until(() => types.length > 0, 'the event');
    expect(types).to.deep.equal(['Appended']);
    await Promise.all([polling.close(), reading.close(), other.close()]);
    await subscribed.catch(() => undefined); // it ends with the store
  });
});
