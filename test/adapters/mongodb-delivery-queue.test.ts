import { MongoClient } from 'mongodb';
import { openMongoDeliveryQueue } from '../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import { deliveryQueueContract } from '../contract/delivery-queue.js';
import type { MongoDbServer } from '../support/mongodb/mongodb-server.js';
import { startMongoDb } from '../support/mongodb/start-mongodb.js';

describe('MongoDB', () => {
  let server: MongoDbServer;
  let client: MongoClient;
  before(async function () {
    this.timeout(90_000);
    server = await startMongoDb();
    client = await new MongoClient(server.url).connect();
  });
  after(async () => {
    await client?.close();
    await server?.stop?.();
  });
  deliveryQueueContract('MongoDB', (place) => openMongoDeliveryQueue(client.db(`queue-${place}`)));
});
