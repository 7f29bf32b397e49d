import { serveDatabase } from '../../data-directory/database-thread.js';
import { openQueueDatabase } from './queue-database.js';

serveDatabase(openQueueDatabase);
