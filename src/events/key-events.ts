import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** The data of every event about keys: fingerprints, which identify the keys and reveal nothing of them. */
const keys = {
  /** By generation: an HMAC of a fixed text under the key. */
  masterKeys: z.record(z.string(), z.string()),
  /** RFC 7638 thumbprints; the first signs until one of `signsFrom` does. */
  signingKeys: z.array(z.string()).min(1),
  /** ISO 8601, by thumbprint: when a key began to sign, or will begin. */
  signsFrom: z.record(z.string(), z.iso.datetime()),
  /** Generations and thumbprints that operators have retired. */
  retired: z.object({ masterKeys: z.array(z.string()), signingKeys: z.array(z.string()) }),
};

const keysEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'service', type, version: 1, schema: z.object({ ...keys, ...shape }) });

/** An instance uses keys that were not on record. */
const KeysRecorded = keysEvent('KeysRecorded', {});
/** A key was added that will sign from then on: see `signsFrom`. */
const SigningKeyRotated = keysEvent('SigningKeyRotated', { thumbprint: z.string() });
const SigningKeyRetired = keysEvent('SigningKeyRetired', { thumbprint: z.string() });
/** A key was added from which secrets are derived from then on. */
const MasterKeyRotated = keysEvent('MasterKeyRotated', {
  generation: z.string(),
  derivesFrom: z.iso.datetime(),
});
const MasterKeyRetired = keysEvent('MasterKeyRetired', { generation: z.string() });

const keyEvents = [KeysRecorded, SigningKeyRotated, SigningKeyRetired, MasterKeyRotated, MasterKeyRetired] as const;

export type KeysEvent = EventOf<(typeof keyEvents)[number]>;

/** The keys of the service, by their fingerprints. */
export type RecordedKeys = EventOf<typeof KeysRecorded>['data'];

export const keysCodec = codecFor(keyEvents);

/** The stream that records the fingerprints of the service's keys. */
export const keysStream = 'service-keys';
