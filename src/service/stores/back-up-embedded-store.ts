import { type BackedUp, backUp } from '../../admin/back-up.js';
import { deliveriesFile } from '../../queue/sqlite/schema.js';
import { eventsFile } from '../../stores/event-store/sqlite/schema.js';
import { backUpDatabase } from '../../stores/sqlite/database-file.js';

/**
 * Queue first, so that it has no deliveries of events that the copied history lacks; a service on the copy hands over the
 * others, and closes the gates of listeners removed in between before its first delivery.
 */
const databases = [deliveriesFile, eventsFile].map((file) => ({
  file: file.name,
  copy: (directory: string, target: string) => backUpDatabase(directory, file, target),
}));

/** Copies the embedded store of a data directory: see `backUp`. */
export const backUpEmbeddedStore = (directory: string, to: string): Promise<readonly BackedUp[]> =>
  backUp(databases, directory, to);
