import { z } from 'zod';
import { codecFor, defineEvent, type EventOf, type Upcast } from '../stores/event-store/codec.js';

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

/** Version 1 knew no times and no retired keys. */
const fromVersion1: Upcast = (data) => ({ ...data, signsFrom: {}, retired: { masterKeys: [], signingKeys: [] } });

/** An instance uses keys that were not on record. */
export const KeysRecorded = defineEvent({
  category: 'service',
  type: 'KeysRecorded',
  version: 2,
  schema: z.object(keys),
  upcasts: { 1: fromVersion1 },
});

const operatorsEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'service', type, version: 1, schema: z.object({ ...keys, ...shape }) });

/** A key was added that will sign from then on: see `signsFrom`. */
export const SigningKeyRotated = operatorsEvent('SigningKeyRotated', { thumbprint: z.string() });
export const SigningKeyRetired = operatorsEvent('SigningKeyRetired', { thumbprint: z.string() });
/** A key was added from which secrets are derived from then on. */
export const MasterKeyRotated = operatorsEvent('MasterKeyRotated', {
  generation: z.string(),
  derivesFrom: z.iso.datetime(),
});
export const MasterKeyRetired = operatorsEvent('MasterKeyRetired', { generation: z.string() });

export const keyEvents = [
  KeysRecorded,
  SigningKeyRotated,
  SigningKeyRetired,
  MasterKeyRotated,
  MasterKeyRetired,
] as const;

export type KeysEvent = EventOf<(typeof keyEvents)[number]>;

/** The keys of the service, by their fingerprints. */
export type RecordedKeys = EventOf<typeof KeysRecorded>['data'];

export const keysCodec = codecFor(keyEvents);

/** The stream that records the fingerprints of the service's keys. */
export const keysStream = 'service-keys';
