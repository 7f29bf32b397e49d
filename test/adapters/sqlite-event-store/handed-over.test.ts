import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type Appended, openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a subscription on another thread', () => {
  it('gets a small commit as it was handed over, and does not read it', async () => {
    const directory = temporaryDirectory();
    const reports: (Appended | undefined)[] = [];
    const writer = openSqliteEventStore({ directory, onAppended: (appended) => reports.push(appended) });
    const reader = openSqliteEventStore({ directory, polls: false });
    const batches = reader.subscribe({})[Symbol.asyncIterator]();
    expect((await batches.next()).value).to.deep.include({ events: [], caughtUp: true });
    const next = batches.next();

    await writer.append('flow-1', [
      { id: '01a20a0e-35d4-7059-9ad1-10beb6bbd9cd', type: 'FlowPublished', data: {}, metadata: {} },
    ]);
    const file = new Database(join(directory, 'events.db'));
    file.exec('DELETE FROM events'); // what is read from the file now has nothing
    file.close();
    for (const appended of reports) reader.wakeUp(appended);

    const { value } = await next;
    expect(value?.events.map(({ stream }: { stream: string }) => stream)).to.deep.equal(['flow-1']);
    await batches.return?.();
    await reader.close();
    await writer.close();
  });
});
