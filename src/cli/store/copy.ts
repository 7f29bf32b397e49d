import { join, resolve } from 'node:path';
import { developmentKeySetFiles } from '../../access/keys/service-keys.js';
import { settingText } from '../../service/config/settings.js';
import { type CopyPlaces, copyEmbeddedStore } from '../../service/stores/copy-embedded-store.js';
import { type Copied, type CopiedBefore, keyFilesOf } from '../../store-copy/copy-store.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

type Options = {
  from?: string;
  to?: string;
  mongodbUrl?: string;
  keysTo?: string;
};

export async function copy(options: Options, { output, local }: CommandContext): Promise<void> {
  const places = placesOf(options, local().dataDirectory);
  const progress = progressOf(output);
  const copied = await copyEmbeddedStore(places, progress.report).finally(progress.end);
  const keys = describeKeys(places.keysDirectory);
  printResult(output, { from: places.directory, ...copied, keys: keys.settings }, sentenceOf(places, copied));
  if (!output.json) for (const line of keys.lines) output.write(line);
}

/** Throws `UsageError`. The stores' adapters check the URLs. */
function placesOf({ from, to, mongodbUrl, keysTo }: Options, dataDirectory: string): CopyPlaces {
  const eventStoreDbUrl = to ?? settingText(process.env, 'EVENTSTOREDB_URL');
  const mongoDbUrl = mongodbUrl ?? settingText(process.env, 'MONGODB_URL');
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

/** The key settings that the copy needs, without the keys themselves. */
function describeKeys(directory: string) {
  const files = keyFilesOf(directory);
  const { signing, master } = developmentKeySetFiles;
  const settings = {
    ...(files.includes(signing) && { SIGNING_KEYS: join(directory, signing) }),
    ...(files.includes(master) && { MASTER_KEYS: join(directory, master) }),
  };
  const start = 'start every instance with the keys that the service had: others are refused';
  const lines = Object.entries(settings).map(([name, file]) => `  ${name}=${file}`);
  return { settings, lines: lines.length === 0 ? [start] : [`${start}:`, ...lines] };
}

function sentenceOf({ directory }: CopyPlaces, copied: Copied | CopiedBefore): string {
  if ('finishedAt' in copied) {
    return `the copy of ${directory} ended at ${copied.finishedAt.toISOString()}: nothing was copied again, because a service may have used it since`;
  }
  const { events, streams, queue, digest } = copied;
  return (
    `copied and verified: events ${events}, streams ${streams}, deliveries ${queue.deliveries}, listeners ${queue.listeners}, ` +
    `events set aside ${queue.setAside}, digest ${digest}; do not start a service on ${directory} again`
  );
}
