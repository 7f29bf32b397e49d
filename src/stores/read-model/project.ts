import { codecFor } from '../event-store/codec.js';
import { categoryOf, type EventFilter, type RecordedEvent } from '../event-store/event-store.js';
import { ProjectionFailed } from './errors.js';
import type { Operation, Projection } from './projection.js';
import type { EventOperations } from './read-model.js';

/** What a projection makes of events. */
export type Projected = {
  readonly operations: readonly EventOperations[];
  /** Undefined where all went well; else `operations` are those of the events before the one that failed. */
  readonly failure: ProjectionFailed | undefined;
};

/** What was handled before the failure. Not the failure's position less one: a store may have nothing there to begin at. */
export const positionBefore = (failure: ProjectionFailed, events: readonly RecordedEvent[], previous: bigint): bigint =>
  events.findLast((event) => event.position < failure.position)?.position ?? previous;

/** The events that a projection wants to see. */
export const filterOf = ({ on }: Projection): EventFilter => ({ categories: Object.keys(on) });

/**
 * Types that the projection has no handler for are none of its business. Those that it has must be as it knows them: at one of
 * a later schema version, written by a newer release, the view stops, for who leaves it out has a view that is wrong for good.
 * `skipped`: the ids of events that an operator has it leave out all the same.
 */
export function projector(
  projection: Projection,
  skipped: ReadonlySet<string> = new Set(),
): (events: readonly RecordedEvent[]) => Projected {
  const codec = codecFor(projection.events);

  const operationsOf = (event: RecordedEvent): readonly Operation[] => {
    const handler = projection.on[categoryOf(event.stream)]?.[event.type];
    const known = handler && !skipped.has(event.id) && codec.decode(event);
    if (!known) return [];
    const operations = handler(known);
    return Array.isArray(operations) ? operations : [operations as Operation]; // `isArray` knows nothing of readonly
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
