import type { JsonObject } from '../event-store/event-store.js';
import type { KeyedOperation } from './projection.js';
import type { EventOperations } from './read-model.js';

export type Write =
  | { readonly kind: 'put'; readonly document: JsonObject }
  | { readonly kind: 'patch'; readonly fields: JsonObject }
  | { readonly kind: 'remove' };

/** One write per key, with the same effect as the operations in sequence. */
export function fold(batch: readonly EventOperations[]): ReadonlyMap<string, Write> {
  const writes = new Map<string, Write>();
  for (const { operations } of batch) {
    for (const operation of operations) {
      if (operation.kind === 'remove-where') throw new Error('what it removes is looked up first: `withRemovals`');
      writes.set(operation.key, next(writes.get(operation.key), operation));
    }
  }
  return writes;
}

function next(before: Write | undefined, operation: KeyedOperation): Write {
  if (operation.kind !== 'patch' || before === undefined) return operation;
  // Spreading two objects into a third costs fifteen times as much.
  if (before.kind === 'put') return { kind: 'put', document: Object.assign({}, before.document, operation.fields) };
  if (before.kind === 'patch') return { kind: 'patch', fields: Object.assign({}, before.fields, operation.fields) };
  return before; // a removed document stays removed
}
