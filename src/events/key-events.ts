import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** Fingerprints of the service's keys: they identify the keys and reveal nothing of them. */
export const KeysRecorded = defineEvent({
  category: 'service',
  type: 'KeysRecorded',
  version: 1,
  schema: z.object({
    /** By generation: an HMAC of a fixed text under the key. */
    masterKeys: z.record(z.string(), z.string()),
    /** RFC 7638 thumbprints; the first signs. */
    signingKeys: z.array(z.string()).min(1),
  }),
});

export type KeysEvent = EventOf<typeof KeysRecorded>;

export const keysCodec = codecFor([KeysRecorded]);
