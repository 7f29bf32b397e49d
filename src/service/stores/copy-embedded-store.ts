import { closingAll } from '../../kernel/closing.js';
import { DirectoryInUse } from '../../kernel/store-errors.js';
import { openQueueRestore, restoreMark } from '../../queue/mongodb/commands/restore.js';
import { openQueueDump } from '../../queue/sqlite/commands/dump.js';
import {
  type Copied,
  type CopiedBefore,
  copyKeyFiles,
  copyStore,
  type OnCopyProgress,
} from '../../store-copy/copy-store.js';
import { openEventStoreDb } from '../../stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openSqliteEventStore } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoDb } from '../../stores/mongodb/mongodb-database.js';
import { lockDataDirectory } from '../../stores/sqlite/file-lock.js';
import { requireStore } from './command-stores.js';

export type CopyPlaces = {
  directory: string;
  /** Directory to which the keys are copied. */
  keysDirectory: string;
  eventStoreDbUrl: string;
  mongoDbUrl: string;
};

/**
 * Copies an embedded store into EventStoreDB and MongoDB: see `copyStore`. Locks the source, so that nothing is added to it
 * meanwhile, and closes everything that it has opened.
 */
export async function copyEmbeddedStore(
  { directory, keysDirectory, eventStoreDbUrl, mongoDbUrl }: CopyPlaces,
  onProgress: OnCopyProgress,
): Promise<Copied | CopiedBefore> {
  return closingAll(async (onOpened) => {
    const database = openMongoDb({ url: mongoDbUrl });
    onOpened(database.close);
    const copies = openEventStoreDb({ url: eventStoreDbUrl });
    onOpened(copies.close);
    requireStore(directory);
    onOpened(lock(directory).release);
    const originals = openSqliteEventStore({ directory });
    onOpened(originals.close);
    const dump = openQueueDump(directory);
    onOpened(dump.close);
    await copyKeyFiles(directory, keysDirectory);
    return await copyStore(
      { events: originals, queue: dump },
      { events: copies, queue: () => openQueueRestore(database), mark: restoreMark(database) },
      onProgress,
    );
  });
}

function lock(directory: string): ReturnType<typeof lockDataDirectory> {
  try {
    return lockDataDirectory(directory);
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new DirectoryInUse(`${error.message}: stop it first, or copy what flow-hooks store backup makes of it`, {
      cause: error,
    });
  }
}
