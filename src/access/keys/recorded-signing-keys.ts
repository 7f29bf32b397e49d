import { keysCodec, keysStream } from '../../events/key-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';

/** Returns the RFC 7638 thumbprints of all signing keys that were ever recorded, including retired ones. */
export async function recordedSigningKeys(store: Pick<EventStore, 'readStream'>): Promise<ReadonlySet<string>> {
  const thumbprints = new Set<string>();
  // Absent if no service has been started on this store.
  for await (const event of readIfExists(store.readStream(keysStream))) {
    for (const thumbprint of keysCodec.decode(event).data.signingKeys) thumbprints.add(thumbprint);
  }
  return thumbprints;
}
