import { codecFor } from '../stores/event-store/codec.js';
import {
  categoryOf,
  type EventFilter,
  type JsonObject,
  type RecordedEvent,
} from '../stores/event-store/event-store.js';
import { ProjectionFailed } from './errors.js';
import type { KeyedOperation, Operation, Projection } from './projection.js';
import type { EventOperations } from './read-model.js';

export type Projected = {
  operations: readonly EventOperations[];
  /** Undefined on success; else `operations` are those before the failed event. */
  failure: ProjectionFailed | undefined;
};

/** Not the failure's position minus one, which may be no valid position. */
export const positionBefore = (failure: ProjectionFailed, events: readonly RecordedEvent[], previous: bigint): bigint =>
  events.findLast((event) => event.position < failure.position)?.position ?? previous;

export const filterOf = ({ on }: Projection): EventFilter => ({ categories: Object.keys(on) });

/**
 * Ignores event types without a handler; the others must decode: skipping an event of a newer release would leave the
 * view wrong permanently. `skipped`: IDs that an operator has skipped.
 */
export function projectWith(
  projection: Projection,
  skipped: ReadonlySet<string> = new Set(),
): (events: readonly RecordedEvent[]) => Projected {
  const codec = codecFor(projection.events);

  const operationsOf = (event: RecordedEvent): readonly Operation[] => {
    const handler = projection.on[categoryOf(event.stream)]?.[event.type];
    const known = handler && !skipped.has(event.id) && codec.decode(event);
    if (!known) return [];
    const operations = handler(known);
    return Array.isArray(operations) ? operations : [operations as Operation]; // `isArray` does not narrow readonly arrays
  };

  return (events) => {
    const projected: EventOperations[] = [];
    for (const event of events) {
      try {
        const operations = operationsOf(event);
        if (operations.length > 0) projected.push({ position: event.position, operations });
      } catch (error) {
        return { operations: projected, failure: new ProjectionFailed(projection.name, event.position, error) };
      }
    }
    return { operations: projected, failure: undefined };
  };
}

export type Write = { kind: 'put'; document: JsonObject } | { kind: 'patch'; fields: JsonObject } | { kind: 'remove' };

/** One write per key, with the same effect as the operations in sequence. */
export function writesOf(batch: readonly EventOperations[]): ReadonlyMap<string, Write> {
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
