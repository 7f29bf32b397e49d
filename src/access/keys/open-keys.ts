import type { Logger } from 'pino';
import type { RecordedKeys } from '../../events/key-events.js';
import { causedByService } from '../../stores/event-store/caused-by-service.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { warnOfExposedFiles } from './exposed-files.js';
import { type CompareKeys, checkKeys, type Fingerprint, fingerprintOf } from './fingerprint.js';
import { followFiles } from './follow-files.js';
import { liveMasterKeys, liveSigningKeys } from './live-keys.js';
import { adoptKeys, recordKeys } from './record-keys.js';
import { type ConfiguredKeys, keyFilesOf, keySetFilesOf, readKeys, type ServiceKeys } from './service-keys.js';

export type KeySettings = {
  readonly mode: 'development' | 'production';
  readonly dataDirectory: string;
  readonly keys: ConfiguredKeys;
};

export type KeyDependencies = {
  readonly store: EventStore;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Interval between checks for changed files: that of other checks of this thread. */
  readonly checkEveryMs?: number;
};

export type OpenedKeys = { readonly keys: ServiceKeys; readonly stop: () => void };

/** Interval of other checks of the main thread, so that following the files costs no wake-up. */
const defaultCheckMs = 250;

/**
 * The keys of this instance, compared with the keys on record before anything is served. Warns about files that other users can
 * read. While the service runs, signing keys and master keys of files that change are compared with the record and adopted; a
 * key that has disappeared from its file stays in memory if secrets are derived from it. Throws `UnusableKeys`, and `KeysDiffer`
 * if the service was started with other keys.
 */
export async function openKeys(
  { mode, dataDirectory, keys: configured }: KeySettings,
  { store, log, checkEveryMs = defaultCheckMs }: KeyDependencies,
): Promise<OpenedKeys> {
  const place = { dataDirectory, mayMake: mode === 'development' };
  const opened = await readKeys(configured, place);
  await warnOfExposedFiles(keyFilesOf(configured, place), log);
  const compare = async (keys: ServiceKeys, comparison: CompareKeys) => {
    const inUse = fingerprintOf(keys.masterKeys, keys.signingKeys);
    warnOfRetired(await checkKeys(store, inUse, comparison, causedByService()), inUse, log);
  };
  await compare(opened, recordKeys);

  const signingKeys = liveSigningKeys(opened.signingKeys);
  const masterKeys = liveMasterKeys(opened.masterKeys);
  const stop = followFiles(keySetFilesOf(configured, place), {
    what: 'keys',
    log,
    checkEveryMs,
    async onChanged() {
      const next = await readKeys(configured, place);
      await compare(next, adoptKeys);
      signingKeys.replace(next.signingKeys);
      masterKeys.replace(next.masterKeys);
    },
  });
  return { keys: { signingKeys, masterKeys, adminKeys: opened.adminKeys }, stop };
}

/** A retired key in an outdated copy of a file is still published. */
function warnOfRetired(recorded: RecordedKeys | undefined, inUse: Fingerprint, log: Pick<Logger, 'warn'>): void {
  const signingKeys = recorded?.retired.signingKeys.filter((each) => inUse.signingKeys.includes(each)) ?? [];
  const masterKeys = recorded?.retired.masterKeys.filter((each) => each in inUse.masterKeys) ?? [];
  if (signingKeys.length + masterKeys.length > 0)
    log.warn({ signingKeys, masterKeys }, 'keys that were retired are still in use here: remove them');
}
