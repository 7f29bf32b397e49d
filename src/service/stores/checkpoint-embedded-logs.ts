import { join } from 'node:path';
import type { Logger } from 'pino';
import { deliveriesFile } from '../../queue/sqlite/schema.js';
import { eventsFile } from '../../stores/event-store/sqlite/schema.js';
import { checkpointLogs } from '../../stores/sqlite/checkpoint-logs.js';
import type { OnStop } from './stores.js';

/** Moves the write-ahead logs of the embedded store into its files, on a thread, once both are open. */
export async function checkpointEmbeddedLogs(directory: string, log: Logger, onStop: OnStop): Promise<void> {
  const files = [eventsFile, deliveriesFile].map(({ name }) => join(directory, name));
  onStop(await checkpointLogs(files, log));
}
