import type { Logger } from 'pino';
import { keysStream } from '../../events/key-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { keysDecider } from './fingerprint.js';
import { followFiles } from './follow-files.js';
import { liveMasterKeys } from './live-keys.js';
import type { MasterKeys } from './master-keys.js';
import { requireAdoptableMasterKeys } from './record-keys.js';
import { type ConfiguredKeys, masterKeyFile, readServiceMasterKeys } from './service-keys.js';

export type MasterKeySettings = {
  readonly mode: 'development' | 'production';
  readonly dataDirectory: string;
  readonly keys: Pick<ConfiguredKeys, 'masterKeys'>;
};

/** Interval of other checks of the dispatcher's thread, so that following the file costs no wake-up. */
const checkEveryMs = 1_000;

/**
 * The master keys, for a thread that uses no other keys; the main thread has compared them with the record. As `openKeys`, it
 * adopts the keys of a file that changes. Throws `UnusableKeys`.
 */
export async function openMasterKeys(
  { mode, dataDirectory, keys }: MasterKeySettings,
  { store, log }: { readonly store: EventStore; readonly log: Pick<Logger, 'info' | 'error'> },
): Promise<{ readonly masterKeys: MasterKeys; readonly stop: () => void }> {
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
