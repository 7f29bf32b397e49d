import { expect } from 'chai';
import { deliveriesFile } from '../../../src/deliveries/sqlite/schema.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { openDatabaseFile } from '../../../src/stores/sqlite/database-file.js';
import { emptyBatch, leaseRequest, succeeded } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** What the first release wrote: a delivery that waits, one that succeeded and one of an ended hook. */
function writeFirstVersion(directory: string): void {
  const database = openDatabaseFile(directory, {
    ...deliveriesFile,
    migrations: deliveriesFile.migrations.slice(0, 1),
  });
  database.exec(`
    INSERT INTO messages VALUES (1, 'acme', 'event-1', 'flow.completed', 7, '{"id":"event-1"}'),
      (2, 'acme', 'event-2', 'flow.completed', 8, '{"id":"event-2"}');
    INSERT INTO listeners VALUES (1, 'one', 'acme', 'https://example.com/1', 'g1', 1, 3, 0, 900),
      (2, 'two', 'acme', 'https://example.com/2', 'g1', 1, 4, 1, NULL);
    INSERT INTO deliveries VALUES (1, 'a', 'wa', 1, 1, 1, 1, NULL, 800, 200, NULL, 850),
      (2, 'b', 'wb', 2, 1, 0, 1, 900, 800, 500, 'http_status', 850),
      (3, 'c', 'wc', 2, 2, 3, 0, NULL, 800, NULL, NULL, NULL);
    UPDATE tally SET deliveries = 1 WHERE state IN (0, 1, 3);`);
  database.close();
}

describe('a delivery queue on SQLite that the first release wrote', () => {
  it('goes on with all that it holds', async () => {
    const directory = temporaryDirectory();
    writeFirstVersion(directory);
    const queue = openSqliteDeliveryQueue({ directory });

    expect(await queue.counts(1_000)).to.include({ waiting: 1, held: 0, succeeded: 1, cancelled: 1, oldestDueAt: 900 });
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries).to.have.length(1);
    expect(deliveries[0]).to.include({ id: 'b', attempt: 2, ordered: false, body: '{"id":"event-2"}' });
    expect(deliveries[0]).to.include({ enqueuedAt: 800, recordedAt: undefined });
    await queue.record(deliveries.map(succeeded), 1_000);
    expect(await queue.attempts('acme', 'b')).to.have.length(1);
    expect(await queue.attempts('acme', 'a')).to.deep.equal([]);
    expect(await queue.knownEvent('acme', 'event-1')).to.include({ position: 7n });
    const again = { id: 'a', webhookId: 'wa', orgId: 'acme', eventId: 'event-1', listenerId: 'one' };
    expect(await queue.enqueue({ ...emptyBatch, deliveries: [again] }, 1_000)).to.deep.equal({ added: 0 });

    expect(await queue.purge({ before: 900, limit: 10 })).to.equal(2); // at 850, and never attempted since 800
    expect((await queue.list({ orgId: 'acme' })).map(({ id }) => id)).to.deep.equal(['b']);
    await queue.close();
  });
});
