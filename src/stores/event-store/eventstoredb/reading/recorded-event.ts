import {
  type AllStreamRecordedEvent,
  type RecordedEvent as ClientEvent,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import { categoryOf, type EventFilter, type RecordedEvent } from '../../event-store.js';

/** An event that is not JSON has no data; its decoder refuses it. */
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

const isSystem = ({ streamId, type }: { readonly streamId: string; readonly type: string }): boolean =>
  streamId.startsWith('$') || type.startsWith('$');

export function matcher(
  filter: EventFilter | undefined,
): (event: { readonly streamId: string; readonly type: string }) => boolean {
  if (!filter) return (event) => !isSystem(event);
  const categories = new Set(filter.categories);
  return (event) => !isSystem(event) && categories.has(categoryOf(event.streamId));
}

/** Passes everything that `matcher` passes. */
export function serverFilter(filter: EventFilter | undefined) {
  if (!filter) return eventTypeFilter({ regex: '^[^$]', maxSearchWindow });
  // A stream may have its category as its whole name, so `category-` would be too narrow.
  if (filter.categories.length > 0) return streamNameFilter({ prefixes: [...filter.categories], maxSearchWindow });
  return streamNameFilter({ regex: '[^\\s\\S]', maxSearchWindow });
}

/** Events searched before the server reports its position. */
const maxSearchWindow = 512;
