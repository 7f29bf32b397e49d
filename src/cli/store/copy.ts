import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { closingAll } from '../../closing.js';
import { lockDataDirectory } from '../../data-directory/directory-lock.js';
import { openQueueRestore } from '../../deliveries/mongodb/restore.js';
import { restoreMark } from '../../deliveries/mongodb/restore-mark.js';
import { openQueueDump } from '../../deliveries/sqlite/dump.js';
import { DirectoryInUse } from '../../event-store/errors.js';
import { openEventStoreDb } from '../../event-store/eventstoredb/eventstoredb-event-store.js';
import { openSqliteEventStore } from '../../event-store/sqlite/sqlite-event-store.js';
import { developmentKeySetFiles } from '../../keys/development-keys.js';
import { openMongoDb } from '../../mongodb/mongodb-database.js';
import { SettingsReader } from '../../settings.js';
import { carryKeys, keyFilesOf } from '../../store-copy/carry-keys.js';
import { type Copied, type CopiedBefore, copyStore, type OnCopyProgress } from '../../store-copy/copy-store.js';
import { dataDirectoryOf, outputOf } from '../command-context.js';
import { requireStore } from '../command-stores.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

type Options = {
  readonly from?: string;
  readonly to?: string;
  readonly mongodbUrl?: string;
  readonly keysTo?: string;
};

type Places = {
  readonly directory: string;
  /** Where the keys are afterwards. */
  readonly keysDirectory: string;
  readonly eventStoreDbUrl: string;
  readonly mongoDbUrl: string;
};

/** `store copy`: from the embedded store to EventStoreDB and MongoDB, for a service that outgrows one machine. */
export async function copy(options: Options, command: Command): Promise<void> {
  const output = outputOf(command);
  const places = placesOf(options, dataDirectoryOf(command), new SettingsReader(process.env));
  const progress = progressOf(output);
  try {
    const copied = await copyBetween(places, progress.report);
    progress.end();
    const keys = describeKeys(places.keysDirectory);
    printResult(output, { from: places.directory, ...copied, keys: keys.settings }, sentenceOf(places, copied));
    if (!output.json) for (const line of keys.lines) output.write(line);
  } finally {
    progress.end();
  }
}

/** Throws `UsageError`. What is wrong with the URLs themselves, their adapters say. */
function placesOf({ from, to, mongodbUrl, keysTo }: Options, dataDirectory: string, settings: SettingsReader): Places {
  const eventStoreDbUrl = to ?? settings.text('EVENTSTOREDB_URL');
  const mongoDbUrl = mongodbUrl ?? settings.text('MONGODB_URL');
  if (eventStoreDbUrl === undefined) throw new UsageError('--to or EVENTSTOREDB_URL must say where the events go');
  if (mongoDbUrl === undefined) throw new UsageError('--mongodb-url or MONGODB_URL must say where the deliveries go');
  if (keysTo?.trim() === '') throw new UsageError('--keys-to must name a directory');
  const directory = from === undefined ? dataDirectory : directoryOf(from);
  return { directory, keysDirectory: keysTo === undefined ? directory : resolve(keysTo), eventStoreDbUrl, mongoDbUrl };
}

/** `sqlite:./data`, `sqlite:/var/lib/flow-hooks`, `sqlite:///var/lib/flow-hooks`. */
function directoryOf(from: string): string {
  const [, directory] = /^sqlite:(?:\/\/(?=\/))?(.*\S.*)$/.exec(from) ?? [];
  if (directory === undefined) throw new UsageError('--from must be sqlite:DIRECTORY, such as sqlite:./data');
  return resolve(directory);
}

/** Holds the source for itself, so that nothing is added to it meanwhile, and closes all that it opened. */
async function copyBetween(
  { directory, keysDirectory, eventStoreDbUrl, mongoDbUrl }: Places,
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
    await carryKeys(directory, keysDirectory);
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

/** What an operator has to know of the keys that the copy needs; never the keys themselves. */
function describeKeys(directory: string) {
  const files = keyFilesOf(directory);
  const { signing, master } = developmentKeySetFiles;
  const settings = {
    ...(files.includes(signing) && { SIGNING_KEYS: join(directory, signing) }),
    ...(files.includes(master) && { MASTER_KEYS: join(directory, master) }),
  };
  const start = 'start every instance with the keys that the service has had, for others are refused';
  const lines = Object.entries(settings).map(([name, file]) => `  ${name}=${file}`);
  return { settings, lines: lines.length === 0 ? [start] : [`${start}:`, ...lines] };
}

function sentenceOf({ directory }: Places, copied: Copied | CopiedBefore): string {
  if ('finishedAt' in copied) {
    return `the copy of ${directory} ended at ${copied.finishedAt.toISOString()}: nothing is done again, a service may have gone on from it`;
  }
  const { events, streams, queue, digest } = copied;
  return (
    `copied and verified: events ${events}, streams ${streams}, deliveries ${queue.deliveries}, hooks ${queue.hooks}, ` +
    `events set aside ${queue.setAside}, digest ${digest}; start no service on ${directory} any more`
  );
}
