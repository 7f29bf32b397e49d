import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { deliveryQueueContract } from '../contract/delivery-queue.js';
import { likeFanOut } from '../support/deliveries/first-attempts.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';

onMongoDb('the contract of the delivery queue', ({ database }) => {
  deliveryQueueContract('MongoDB', (place) => openMongoDeliveryQueue(database(place)));
  deliveryQueueContract('MongoDB, with first attempts from memory', async (place) =>
    likeFanOut(await openMongoDeliveryQueue(database(`${place}-first`))),
  );
});
