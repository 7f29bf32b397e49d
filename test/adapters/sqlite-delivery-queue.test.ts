import { join } from 'node:path';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { deliveryQueueContract } from '../contract/delivery-queue.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

deliveryQueueContract('SQLite', (place) => openSqliteDeliveryQueue({ directory: join(directory, place) }));
