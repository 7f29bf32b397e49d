import { expect } from 'chai';
import { openQueueRestore } from '../../src/queue/mongodb/commands/restore.js';
import { openQueueDump } from '../../src/queue/sqlite/commands/dump.js';
import { batchOf, queuedListener } from '../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { embeddedStore } from './support.js';

onMongoDb('restoring the dump of a queue', (mongoDb) => {
  describe('the dump of a queue, restored', () => {
    it('is written once, and put right where it has become another', async () => {
      const directory = temporaryDirectory();
      const embedded = embeddedStore(directory);
      const listener = queuedListener();
      await embedded.queue.enqueue(batchOf([listener], 1_200, 'event'), 900);
      await embedded.close();

      const dump = openQueueDump(directory);
      const database = mongoDb.database(crypto.randomUUID());
      const { deliveries } = await openQueueRestore(database);
      const batches = [...dump.deliveries.batches()];
      expect(batches.map(({ length }) => length)).to.eql([500, 500, 200]);
      expect(dump.deliveries.count()).to.equal(1_200);
      for (const rows of batches) await deliveries.restore(rows);
      expect(await deliveries.count()).to.equal(1_200);
      const [first = []] = batches;
      expect(await deliveries.differing(first)).to.eql([]);

      const stored = database.db.collection<{ _id: string }>('queue.deliveries');
      await stored.updateOne({ _id: `event-3/${listener.listenerId}` }, { $set: { state: 'succeeded' } });
      await stored.deleteOne({ _id: `event-4/${listener.listenerId}` });
      const differing = (await deliveries.differing(first)).map(({ eventId }) => eventId);
      expect(differing).to.eql(['event-3', 'event-4']);
      await deliveries.restore(first);
      expect(await deliveries.differing(first)).to.eql([]);
      dump.close();
    });

    it('keeps batches small where messages are large', async () => {
      const directory = temporaryDirectory();
      const embedded = embeddedStore(directory);
      const batch = batchOf([queuedListener()], 20);
      const messages = batch.messages.map((message) => ({ ...message, body: 'x'.repeat(1_000_000) }));
      await embedded.queue.enqueue({ ...batch, messages }, 900);
      await embedded.close();
      const dump = openQueueDump(directory);
      const sizes = [...dump.messages.batches()].map(({ length }) => length);
      expect(sizes).to.eql([5, 5, 5, 5]);
      dump.close();
    });
  });
});
