import { openEventStoreDb } from '../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { eventStoreContract } from '../contract/event-store.js';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/start-double.js';

const server = process.env.EVENTSTOREDB_URL;

describe(server ? 'on a real server' : 'on the double', () => {
  let double: EventStoreDouble | undefined;

  before(async () => {
    if (!server) double = await startEventStoreDouble();
  });
  after(() => double?.stop());

  eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: server ?? double?.url ?? '' }));
});
