import { pino } from 'pino';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoLeases } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { followUnderLease } from '../../../src/views/following/follow-under-lease.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { until } from '../../support/until.js';
import { counters } from '../counters.js';

/** An instance that keeps the counters view up to date whenever it may, until it is killed. Tells when it does. */
const [directory = '', url = '', name = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const database = openMongoDb({ url, database: name });
const { followers } = followUnderLease({
  store: openSqliteEventStore({ directory }),
  readModel: openMongoReadModel(database),
  leases: openMongoLeases({ database, log }),
  projections: [counters()],
  log,
});
await until(() => followers.every((each) => each.status().lease?.held === true && each.status().caughtUp), 'the lease');
process.send?.('projecting');
