import { causedByService } from '../../stores/event-store/caused-by-service.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { checkKeys, fingerprintOf } from './fingerprint.js';
import { type ConfiguredKeys, readKeys, type ServiceKeys } from './service-keys.js';

export type KeySettings = {
  readonly mode: 'development' | 'production';
  readonly dataDirectory: string;
  readonly keys: ConfiguredKeys;
};

/**
 * The keys of this instance, compared with the keys on record before anything is served. Throws `UnusableKeys`, and
 * `KeysDiffer` if the service was started with other keys.
 */
export async function openKeys({ mode, dataDirectory, keys }: KeySettings, store: EventStore): Promise<ServiceKeys> {
  const opened = await readKeys(keys, { dataDirectory, mayMake: mode === 'development' });
  await checkKeys(store, fingerprintOf(opened.masterKeys, opened.signingKeys), causedByService());
  return opened;
}
