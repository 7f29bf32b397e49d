import {
  type AllStreamRecordedEvent,
  type RecordedEvent as ClientEvent,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import { categoryOf, type EventFilter, type RecordedEvent } from '../../event-store.js';

/** An event as the client gives it. What is not JSON has no data: whoever decodes it sets it aside. */
export function toRecordedEvent(event: ClientEvent | AllStreamRecordedEvent): RecordedEvent {
  return {
    id: event.id,
    stream: event.streamId,
    revision: event.revision,
    position: event.position?.commit ?? -1n,
    type: event.type,
    data: event.isJson ? event.data : undefined,
    metadata: event.metadata instanceof Uint8Array ? undefined : (event.metadata ?? {}),
    created: event.created,
  };
}

/** Streams and types that begin with `$` are EventStoreDB's own. */
const isSystem = ({ streamId, type }: { readonly streamId: string; readonly type: string }): boolean =>
  streamId.startsWith('$') || type.startsWith('$');

/** Whether an event is one of those that the filter asks for. */
export function matcher(
  filter: EventFilter | undefined,
): (event: { readonly streamId: string; readonly type: string }) => boolean {
  if (!filter) return (event) => !isSystem(event);
  const categories = new Set(filter.categories);
  return (event) => !isSystem(event) && categories.has(categoryOf(event.streamId));
}

/** What the server leaves out already: never anything that `matcher` passes. */
export function serverFilter(filter: EventFilter | undefined) {
  if (!filter) return eventTypeFilter({ regex: '^[^$]', maxSearchWindow });
  // A stream may have its category as its whole name, so `category-` would be too narrow; `matcher` does the rest.
  if (filter.categories.length > 0) return streamNameFilter({ prefixes: [...filter.categories], maxSearchWindow });
  return streamNameFilter({ regex: '[^\\s\\S]', maxSearchWindow });
}

/** So many events are looked through in one go, and at least as often the server says how far it is. */
const maxSearchWindow = 512;
