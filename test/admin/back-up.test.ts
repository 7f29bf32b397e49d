import { join } from 'node:path';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { listenerCodec } from '../../src/events/listener-events.js';
import { listenerStream } from '../../src/listeners/listener.js';
import { backUpEmbeddedStore } from '../../src/service/stores/back-up-embedded-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { subscribed, unsubscribed } from '../listeners/fixtures.js';
import { batchOf, queuedListener } from '../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('backing up a data directory', () => {
  it('closes the gate of a listener whose removal the events know and the queue does not yet', async () => {
    const directory = temporaryDirectory();
    const events = openSqliteEventStore({ directory });
    const [first, removed] = [subscribed(), unsubscribed({ since: 0 })];
    const cause = { actor: 'user:ada', correlationId: 'request-1' };
    await events.append(
      listenerStream(first.data.orgId, first.data.hookUrl),
      [first, removed].map((event) => listenerCodec.encode(event, cause, new Date())),
    );
    await events.close();
    const { listenerId } = removed.data;
    const known = openSqliteDeliveryQueue({ directory });
    await known.enqueue(batchOf([queuedListener({ listenerId })]), 900);
    await known.close();

    const copy = join(temporaryDirectory(), 'copy');
    await backUpEmbeddedStore(directory, copy);
    const gatesClosedIn = async (place: string) => {
      const queue = openSqliteDeliveryQueue({ directory: place });
      const closed = await queue.closedGates([listenerId]);
      await queue.close();
      return [...closed];
    };
    expect(await gatesClosedIn(copy)).to.eql([listenerId]);
    expect(await gatesClosedIn(directory)).to.eql([]);
  });
});
