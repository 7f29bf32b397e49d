import { expect } from 'chai';
import { WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { newEvents } from '../../contract/event-store/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('concurrent appends to an SQLite event store', () => {
  it('are judged one by one in their order, and a conflict leaves the others in one transaction', async () => {
    let commits = 0;
    const store = openSqliteEventStore({
      directory: temporaryDirectory(),
      onAppended: () => {
        commits += 1;
      },
    });
    const outcomes = await Promise.allSettled([
      store.append('a-1', newEvents(2), { expectedRevision: 'no-stream' }),
      store.append('a-1', newEvents(2), { expectedRevision: 'no-stream' }),
      store.append('a-1', newEvents(1), { expectedRevision: 1n }),
      store.append('a-2', newEvents(1), { expectedRevision: 'stream-exists' }),
      store.append('a-2', newEvents(1), { expectedRevision: 'no-stream' }),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).to.deep.equal([true, false, true, false, true]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).to.be.instanceOf(WrongExpectedRevision);
    }
    expect(commits).to.equal(1);
    await store.close();
  });
});
