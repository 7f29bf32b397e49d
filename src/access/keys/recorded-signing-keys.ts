import { keysCodec } from '../../events/key-events.js';
import { StreamNotFound } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { keysStream } from './fingerprint.js';

/** Returns the RFC 7638 thumbprints of all signing keys that were ever recorded, including retired ones. */
export async function recordedSigningKeys(store: Pick<EventStore, 'readStream'>): Promise<ReadonlySet<string>> {
  const thumbprints = new Set<string>();
  try {
    for await (const event of store.readStream(keysStream)) {
      for (const thumbprint of keysCodec.decode(event).data.signingKeys) thumbprints.add(thumbprint);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error; // no service has been started on this store
  }
  return thumbprints;
}
