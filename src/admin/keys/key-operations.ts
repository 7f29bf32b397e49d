import { KeysDiffer } from '../../access/keys/errors.js';
import { keysDecider } from '../../access/keys/fingerprint.js';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { SigningKeys } from '../../access/keys/signing-keys.js';
import { type KeysEvent, keysStream, type RecordedKeys } from '../../events/key-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import type { KeyFile } from './key-file.js';

export type KeyOperations = {
  readonly store: EventStore;
  /** The keys that the service has. */
  readonly keys: { readonly masterKeys: MasterKeys; readonly signingKeys: SigningKeys };
  /** The file of the keys that are changed; undefined: a setting contains them, so that an operator has to change it. */
  readonly file: string | undefined;
  readonly cause: Cause;
  readonly now: Date;
};

/** The recorded keys. Throws `KeysDiffer` if the service has recorded none. */
export async function recordedKeys({ store }: Pick<KeyOperations, 'store'>): Promise<RecordedKeys> {
  const { state } = await load(store, keysStream, keysDecider);
  return requireRecorded(state);
}

/**
 * Writes the file first: a key that is in the file and not on record is recorded by the first instance that reads it, and a key
 * that is on record only would keep every instance from starting. So the file keeps the key if the store's answer is unknown.
 */
export async function replaceAndRecord(
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

/** Decides from the recorded keys. Throws the errors of `decide` and of the store. */
export async function record(
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
