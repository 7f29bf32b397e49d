import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { projectWith } from '../../../src/views/project.js';
import type { Projection } from '../../../src/views/projection.js';
import type { Build, EventOperations } from '../../../src/views/read-model.js';

/** Documents that the projection makes of these events, in order. Throws where it fails. */
export function projected(projection: Projection, events: readonly RecordedEvent[]): readonly EventOperations[] {
  const { operations, failure } = projectWith(projection)(events);
  if (failure) throw failure;
  return operations;
}

/** Applies these events as one batch. */
export async function applyEvents(build: Build, projection: Projection, events: readonly RecordedEvent[]) {
  const last = events.at(-1);
  if (last) await build.apply(projected(projection, events), last.position);
}
