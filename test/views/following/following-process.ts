import { pino } from 'pino';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { follow } from '../../../src/views/following/follow.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { counters, setCounter } from '../counters.js';

/** A process that keeps the counters view of a directory up to date until it is killed. Tells when it has begun. */
const [directory = ''] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
const readModel = openSqliteReadModel({ directory });
const follower = follow({ store, readModel, projection: counters(), log: pino({ level: 'silent' }) });
await follower.passed(await setCounter(store, 'begun', 1));
process.send?.('following');
