import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { listenersView } from '../../../projections/listeners.js';
import { registeredAt } from '../../../src/listeners/queries/registered-listeners.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { buildName } from '../../../src/views/projection.js';
import { collectPages } from '../../support/collect-pages.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { applyEvents } from '../../support/views/project-events.js';
import { firstId, nextId, subscribed, unsubscribed } from '../fixtures.js';

onMongoDb('the listeners of an organisation at a position', ({ server, database }) => {
  describe('the listeners of an organisation at a position', () => {
    it('cost one read of MongoDB', async () => {
      const client = new MongoClient(server.url, { monitorCommands: true, useBigInt64: true, ignoreUndefined: true });
      try {
        const shared = database(randomUUID());
        const readModel = openMongoReadModel({ ...shared, db: client.db(shared.db.databaseName) });
        const build = await readModel.open(listenersView, buildName(listenersView, 'run-1'));
        await readModel.flip(listenersView, build.name);
        const other = subscribed({ listenerId: nextId, hookUrl: 'https://hooks.example.com/2' });
        const events = recordedListenerEvents([subscribed(), other, unsubscribed({ since: 0 })]);
        await applyEvents(build, listenersView, events);
        const idsAt = async (position: bigint) =>
          (await collectPages(registeredAt(readModel, 'org-1', position))).map(({ listenerId }) => listenerId);
        let reads = 0;
        // Which build is live is read again every half second.
        client.on('commandStarted', ({ command }: CommandStartedEvent) => {
          if (JSON.stringify(command.filter ?? {}).includes('org-1')) reads += 1;
        });
        expect((await idsAt(1n)).toSorted()).to.deep.equal([firstId, nextId].toSorted());
        expect(await idsAt(2n)).to.deep.equal([nextId]);
        expect(reads).to.equal(2);
      } finally {
        await client.close();
      }
    });
  });
});
