import { join } from 'node:path';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { readModelContract } from '../contract/read-model.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

readModelContract('SQLite', (place) => openSqliteReadModel({ directory: join(directory, place) }), { terms: false });
