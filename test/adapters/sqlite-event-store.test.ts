import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { eventStoreContract } from '../contract/event-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

eventStoreContract('SQLite', () => openSqliteEventStore({ directory }));
