import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** Fingerprints only, never key material. */
const keys = {
  /** Fingerprints by generation: HMAC of a fixed text under the key. */
  masterKeys: z.record(z.string(), z.string()),
  /** RFC 7638 thumbprints; the first one signs until a key in `signsFrom` does. */
  signingKeys: z.array(z.string()).min(1),
  /** ISO 8601, by thumbprint; may be in the future. */
  signsFrom: z.record(z.string(), z.iso.datetime()),
  retired: z.object({ masterKeys: z.array(z.string()), signingKeys: z.array(z.string()) }),
};

const keysEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'service', type, version: 1, schema: z.object({ ...keys, ...shape }) });

/** An instance used keys that were not recorded. */
const KeysRecorded = keysEvent('KeysRecorded', {});
const SigningKeyRotated = keysEvent('SigningKeyRotated', { thumbprint: z.string() });
const SigningKeyRetired = keysEvent('SigningKeyRetired', { thumbprint: z.string() });
const MasterKeyRotated = keysEvent('MasterKeyRotated', {
  generation: z.string(),
  derivesFrom: z.iso.datetime(),
});
const MasterKeyRetired = keysEvent('MasterKeyRetired', { generation: z.string() });

const keyEvents = [KeysRecorded, SigningKeyRotated, SigningKeyRetired, MasterKeyRotated, MasterKeyRetired] as const;

export type KeysEvent = EventOf<(typeof keyEvents)[number]>;

export type RecordedKeys = EventOf<typeof KeysRecorded>['data'];

export const keysCodec = codecFor(keyEvents);

export const keysStream = 'service-keys';
