import type { Logger } from 'pino';
import { keysStream, type RecordedKeys } from '../../events/key-events.js';
import type { TaskLog, WarningLog } from '../../kernel/log.js';
import type { Mode } from '../../kernel/settings/setting.js';
import { causedByService } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { followFiles, warnOfExposedFiles } from './key-files.js';
import type { MasterKeys } from './master-keys.js';
import {
  adoptKeys,
  type CompareKeys,
  checkKeys,
  type Fingerprint,
  fingerprintOf,
  keysDecider,
  recordKeys,
  requireAdoptableMasterKeys,
} from './recorded-keys.js';
import {
  type ConfiguredKeys,
  type ConfiguredMasterKeys,
  keyFilesOf,
  keySetFilesOf,
  masterKeyFile,
  readKeys,
  readServiceMasterKeys,
  type ServiceKeys,
} from './service-keys.js';
import type { SigningKeys } from './signing-keys.js';

export type KeySettings = {
  mode: Mode;
  dataDirectory: string;
  keys: ConfiguredKeys;
};

type KeyDependencies = {
  store: EventStore;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  checkEveryMs?: number;
};

type OpenedKeys = { keys: ServiceKeys; stop: () => void };

/** Interval of other checks of the main thread too, so that it causes no additional wake-up. */
const defaultCheckMs = 250;

/**
 * Opens the keys and compares them with the recorded ones; warns of exposed files. Adopts changed files at run time; a
 * missing key that secrets are derived from stays in memory. Throws `UnusableKeys`, and `KeysDiffer` if the recorded
 * keys are others.
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
function warnOfRetired(recorded: RecordedKeys | undefined, inUse: Fingerprint, log: WarningLog): void {
  const signingKeys = recorded?.retired.signingKeys.filter((each) => inUse.signingKeys.includes(each)) ?? [];
  const masterKeys = recorded?.retired.masterKeys.filter((each) => each in inUse.masterKeys) ?? [];
  if (signingKeys.length + masterKeys.length > 0)
    log.warn({ signingKeys, masterKeys }, 'keys that were retired are still in use here: remove them');
}

type MasterKeySettings = {
  mode: Mode;
  dataDirectory: string;
  keys: ConfiguredMasterKeys;
};

/** Interval of other checks of the dispatcher's thread too, so that it causes no additional wake-up. */
const checkEveryMs = 1_000;

/**
 * Opens the keys for a thread that uses master keys only; the main thread has compared them with the record. Adopts changed files. Throws
 * `UnusableKeys`.
 */
export async function openMasterKeys(
  { mode, dataDirectory, keys }: MasterKeySettings,
  { store, log }: { store: EventStore; log: TaskLog },
): Promise<{ masterKeys: MasterKeys; stop: () => void }> {
  const place = { dataDirectory, mayMake: mode === 'development' };
  const masterKeys = liveMasterKeys(await readServiceMasterKeys(keys, place));
  const file = masterKeyFile(keys, dataDirectory);
  const stop = followFiles(file === undefined ? [] : [file], {
    what: 'master keys of the deliveries',
    log,
    checkEveryMs,
    async onChanged() {
      const next = await readServiceMasterKeys(keys, place);
      requireAdoptableMasterKeys(next, (await load(store, keysStream, keysDecider)).state);
      masterKeys.replace(next);
    },
  });
  return { masterKeys, stop };
}

/** Replaceable while in use: each call uses the present keys. */
export type Live<Keys> = Keys & { replace: (next: Keys) => void };

export function liveSigningKeys(initial: SigningKeys): Live<SigningKeys> {
  let keys = initial;
  return {
    sign: (claims, type) => keys.sign(claims, type),
    find: (header, token) => keys.find(header, token),
    get algorithms() {
      return keys.algorithms;
    },
    get publicKeys() {
      return keys.publicKeys;
    },
    get thumbprints() {
      return keys.thumbprints;
    },
    get signsFrom() {
      return keys.signsFrom;
    },
    signer: () => keys.signer(),
    replace(next) {
      keys = next;
    },
  };
}

/**
 * Keeps generations that are missing in the next keys until the next start: an earlier refresh token may be presented
 * within its grace period.
 */
export function liveMasterKeys(initial: MasterKeys): Live<MasterKeys> {
  let keys = initial;
  const dropped = new Map<string, MasterKeys>();
  return {
    get current() {
      return keys.current;
    },
    get generations() {
      return [...keys.generations, ...dropped.keys()];
    },
    get derivesFrom() {
      return keys.derivesFrom;
    },
    derive: (generation, purpose, ...parts) => (dropped.get(generation) ?? keys).derive(generation, purpose, ...parts),
    replace(next) {
      for (const generation of keys.generations) dropped.set(generation, dropped.get(generation) ?? keys);
      for (const generation of next.generations) dropped.delete(generation);
      keys = next;
    },
  };
}
