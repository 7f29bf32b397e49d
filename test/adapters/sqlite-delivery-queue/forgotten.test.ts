import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { filesWith } from '../../support/files-with.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('forgotten deliveries of the SQLite queue', () => {
  it('is in none of its files any more, however often rows were changed and moved before', async () => {
    const directory = temporaryDirectory();
    const queue = openSqliteDeliveryQueue({ directory });
    for (let round = 0; round < 20; round += 1) {
      for (const orgId of ['gone-org', 'kept-org']) {
        const listeners = [1, 2, 3].map((listener) =>
          queuedListener({ orgId, hookUrl: `https://${orgId}.example.com/${listener}` }),
        );
        await queue.enqueue(batchOf(listeners, 5, `${orgId}-${round}`), 900);
      }
      const { deliveries } = await queue.lease(leaseRequest({ limit: 20 }));
      await queue.record(
        deliveries.map((each, index) => (index % 2 ? failed(each, 1_000) : succeeded(each))),
        1_000,
      );
    }
    expect(filesWith(directory, ['gone-org'])).not.to.deep.equal([]);
    while ((await queue.forget({ of: 'organisation', orgId: 'gone-org', limit: 50 })).forgotten === 50);
    expect(filesWith(directory, ['gone-org'])).to.deep.equal([]);
    expect(filesWith(directory, ['kept-org'])).not.to.deep.equal([]);
    await queue.close();
  });

  for (const who of ['the queue itself', 'another process']) {
    it(`is not mistaken for later deliveries, if ${who} forgets deliveries under way`, async () => {
      const directory = temporaryDirectory();
      const queue = openSqliteDeliveryQueue({ directory });
      const beside = openSqliteDeliveryQueue({ directory });
      await queue.enqueue(batchOf([queuedListener({ orgId: 'gone-org' })]), 900);
      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries).to.have.lengthOf(1);
      const forgetting = who === 'another process' ? beside : queue;
      await forgetting.forget({ of: 'organisation', orgId: 'gone-org', limit: 50 });

      const later = batchOf([queuedListener()]);
      await queue.enqueue(later, 900);
      await queue.record(deliveries.map(succeeded), 1_000);
      expect((await queue.counts(1_000)).waiting).to.equal(1);
      const leased = (await queue.lease(leaseRequest())).deliveries;
      expect(leased.map(({ id }) => id)).to.deep.equal(later.deliveries.map(({ id }) => id));
      await Promise.all([queue.close(), beside.close()]);
    });
  }
});
