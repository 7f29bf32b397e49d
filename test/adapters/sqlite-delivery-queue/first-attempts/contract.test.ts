import { join } from 'node:path';
import { openSqliteDeliveryQueue } from '../../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { deliveryQueueContract } from '../../../contract/delivery-queue.js';
import { likeFanOut } from '../../../support/deliveries/first-attempts.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const directory = temporaryDirectory();

deliveryQueueContract('SQLite, with first attempts from memory', (place) =>
  likeFanOut(openSqliteDeliveryQueue({ directory: join(directory, place) })),
);
