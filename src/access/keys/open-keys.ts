import type { Logger } from 'pino';
import { causedByService } from '../../stores/event-store/caused-by-service.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { warnOfExposedFiles } from './exposed-files.js';
import { checkKeys, fingerprintOf } from './fingerprint.js';
import { type ConfiguredKeys, keyFilesOf, readKeys, type ServiceKeys } from './service-keys.js';

export type KeySettings = {
  readonly mode: 'development' | 'production';
  readonly dataDirectory: string;
  readonly keys: ConfiguredKeys;
};

/**
 * The keys of this instance, compared with the keys on record before anything is served. Warns about files that other users can
 * read. Throws `UnusableKeys`, and
 * `KeysDiffer` if the service was started with other keys.
 */
export async function openKeys(
  { mode, dataDirectory, keys }: KeySettings,
  { store, log }: { readonly store: EventStore; readonly log: Pick<Logger, 'warn'> },
): Promise<ServiceKeys> {
  const place = { dataDirectory, mayMake: mode === 'development' };
  const opened = await readKeys(keys, place);
  await warnOfExposedFiles(keyFilesOf(keys, place), log);
  await checkKeys(store, fingerprintOf(opened.masterKeys, opened.signingKeys), causedByService());
  return opened;
}
