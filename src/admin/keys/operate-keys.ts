import { KeysDiffer } from '../../access/errors.js';
import { generateMasterKey, type MasterKeys, parseMasterKeys } from '../../access/keys/master-keys.js';
import { fingerprintOf, keysDecider } from '../../access/keys/recorded-keys.js';
import { generateSigningKey, type SigningKeys, signingKeys } from '../../access/keys/signing-keys.js';
import { type KeysEvent, keysStream, type RecordedKeys } from '../../events/key-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { RotationUnderWay } from './errors.js';
import {
  changeKeyFile,
  type KeyFile,
  nextGeneration,
  withMasterKey,
  withoutMasterKey,
  withoutSigningKey,
  withSigningKey,
} from './key-file.js';
import { requireNoPending, retireMasterKey, retireSigningKey, rotateMasterKey, rotateSigningKey } from './rotation.js';

export type KeyOperations = {
  store: EventStore;
  keys: { masterKeys: MasterKeys; signingKeys: SigningKeys };
  /** Undefined: a setting contains the keys. */
  file: string | undefined;
  cause: Cause;
  now: Date;
};

/** Throws `KeysDiffer` if none are recorded. */
export async function recordedKeys({ store }: Pick<KeyOperations, 'store'>): Promise<RecordedKeys> {
  const { state } = await load(store, keysStream, keysDecider);
  return requireRecorded(state);
}

/**
 * File first: the next instance records a key that is only in the file, but a key only on record prevents every start.
 * So the file keeps the key if the store's answer is unknown.
 */
async function replaceAndRecord(
  operations: KeyOperations,
  { text: before, replace }: KeyFile,
  text: string,
  decide: (recorded: RecordedKeys) => readonly KeysEvent[],
): Promise<void> {
  decide(await recordedKeys(operations)); // a refusal leaves the file as it is
  await replace(text);
  await record(operations, decide).catch(async (error: unknown) => {
    if (error instanceof DomainError && !(error instanceof StoreUnavailable)) await replace(before);
    throw error;
  });
}

async function record(
  { store, cause, now }: KeyOperations,
  decide: (recorded: RecordedKeys) => readonly KeysEvent[],
): Promise<readonly KeysEvent[]> {
  const { events } = await handle(store, keysStream, keysDecider, (state) => decide(requireRecorded(state)), {
    cause,
    now,
  });
  return events;
}

function requireRecorded(recorded: RecordedKeys | undefined): RecordedKeys {
  if (!recorded) throw new KeysDiffer('no keys of this service are on record: start it once');
  return recorded;
}

export type Rotated = {
  /** Thumbprint of a signing key, generation of a master key. */
  id: string;
  /** ISO 8601. */
  from: string;
  file: string | null;
  /** Null with a file; else the key that an operator adds to every instance's setting. */
  add: string | null;
};

/** Publishes a signing key at once, which signs `afterMs` later. Throws `RotationUnderWay` and `KeysDiffer`. */
export async function rotateSigning(operations: KeyOperations, afterMs: number): Promise<Rotated> {
  const { keys, file, now } = operations;
  const begins = inWholeSeconds(now, afterMs);
  const key = generateSigningKey({ like: keys.signingKeys.signer().publicJwk, signsFrom: begins });
  const recorded = await recordedKeys(operations);
  requireNoPending(recorded, { now });
  const from = begins.toISOString();
  if (file === undefined) {
    const [id] = (await signingKeys(JSON.stringify({ keys: [key] }))).thumbprints;
    return { id, from, file: null, add: JSON.stringify(key) };
  }
  return changeKeyFile(file, async (found) => {
    const { thumbprints, signsFrom } = await signingKeys(found.text, () => now);
    requireNoPending({ signingKeys: thumbprints, signsFrom }, { now }); // one that is not on record yet
    const text = withSigningKey(found.text, key);
    const changed = await signingKeys(text, () => now);
    const id = changed.thumbprints.at(-1) ?? ''; // the key is there
    const command = { keys: fingerprintOf(keys.masterKeys, changed), thumbprint: id, now };
    await replaceAndRecord(operations, found, text, (state) => rotateSigningKey(command, state));
    return { id, from, file, add: null };
  });
}

/** Works as `rotateSigning`, for a master key. */
export async function rotateMaster(operations: KeyOperations, afterMs: number): Promise<Rotated> {
  const { keys, file, now } = operations;
  const begins = inWholeSeconds(now, afterMs);
  const from = begins.toISOString();
  const recorded = await recordedKeys(operations);
  const id = nextGeneration(keys.masterKeys.current, [
    ...keys.masterKeys.generations,
    ...Object.keys(recorded.masterKeys),
    ...recorded.retired.masterKeys,
  ]);
  const pair = generateMasterKey(id, begins);
  requireNoPendingGeneration(keys.masterKeys, now);
  if (file === undefined) return { id, from, file: null, add: pair };
  return changeKeyFile(file, async (found) => {
    const parsed = (text: string) => parseMasterKeys(text, () => now);
    requireNoPendingGeneration(parsed(found.text), now);
    const text = withMasterKey(found.text, pair);
    const command = { keys: fingerprintOf(parsed(text), keys.signingKeys), generation: id, derivesFrom: from, now };
    await replaceAndRecord(operations, found, text, (state) => rotateMasterKey(command, state));
    return { id, from, file, add: null };
  });
}

export type Retired = {
  id: string;
  /** Null: an operator removes it from every instance's setting. */
  file: string | null;
  /** False: retired before. */
  changed: boolean;
};

/** `key`: thumbprint or `kid`. Throws `KeyStillNeeded` and `UnknownKey`. */
export async function retireSigning(
  operations: KeyOperations,
  { key, tokenLifetimeMs }: { key: string; tokenLifetimeMs: number },
): Promise<Retired> {
  const { keys, file, now } = operations;
  const index = keys.signingKeys.publicKeys.keys.findIndex(({ kid }) => kid === key);
  const thumbprint = keys.signingKeys.thumbprints[index] ?? key;
  const events = await record(operations, (state) => retireSigningKey({ thumbprint, tokenLifetimeMs, now }, state));
  await removeFromFile(file, (text) => withoutSigningKey(text, thumbprint));
  return { id: thumbprint, file: file ?? null, changed: events.length > 0 };
}

/** `derived`: secrets in use. Throws `KeyStillNeeded` and `UnknownKey`. */
export async function retireMaster(
  operations: KeyOperations,
  { generation, derived }: { generation: string; derived: { listeners: number; sessions: number } },
): Promise<Retired> {
  const { keys, file } = operations;
  const command = { generation, derived, derivesFrom: keys.masterKeys.current };
  const events = await record(operations, (state) => retireMasterKey(command, state));
  await removeFromFile(file, (text) => withoutMasterKey(text, generation));
  return { id: generation, file: file ?? null, changed: events.length > 0 };
}

async function removeFromFile(
  file: string | undefined,
  remove: (text: string) => Promise<string> | string,
): Promise<void> {
  if (file === undefined) return;
  await changeKeyFile(file, async ({ text, replace }) => {
    const rest = await remove(text);
    if (rest !== text) await replace(rest);
  });
}

function requireNoPendingGeneration({ derivesFrom }: MasterKeys, now: Date): void {
  const pending = Object.entries(derivesFrom).find(([, from]) => Date.parse(from) > now.getTime());
  if (pending)
    throw new RotationUnderWay(`secrets are derived from the master key ${pending[0]} from ${pending[1]} on`);
}

const inWholeSeconds = (now: Date, afterMs: number): Date =>
  new Date(Math.ceil((now.getTime() + afterMs) / 1_000) * 1_000);
