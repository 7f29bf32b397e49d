import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { recordedDeliveriesContract } from '../contract/recorded-deliveries.js';
import { restoreDeliveriesFile } from '../support/releases/recorded-deliveries.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

recordedDeliveriesContract('SQLite', {
  readers: ['fan-out'],
  async restore(place) {
    mkdirSync(join(directory, place));
    restoreDeliveriesFile(join(directory, place));
  },
  open: (place) => openSqliteDeliveryQueue({ directory: join(directory, place) }),
});
