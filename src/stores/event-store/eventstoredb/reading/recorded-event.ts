import {
  type AllStreamRecordedEvent,
  binaryEvent,
  type RecordedEvent as ClientEvent,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import { uuidV5 } from '../../../../kernel/uuid.js';
import { bucketCount, bucketIn, bucketName } from '../../bucket.js';
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

const isSystem = ({ streamId, type }: { streamId: string; type: string }): boolean =>
  streamId.startsWith('$') || type.startsWith('$');

export function eventPredicate(
  filter: EventFilter | undefined,
): (event: { streamId: string; type: string }) => boolean {
  if (!filter) return (event) => !isSystem(event);
  const { buckets } = filter;
  const categories = new Set(filter.categories);
  return (event) => {
    if (isSystem(event) || !categories.has(categoryOf(event.streamId))) return false;
    if (!buckets) return true;
    const bucket = bucketIn(event.streamId);
    return bucket === undefined || buckets.has(bucket);
  };
}

/** Passes everything that `eventPredicate` passes. */
export function serverFilter(filter: EventFilter | undefined) {
  if (!filter) return eventTypeFilter({ regex: '^[^$]', maxSearchWindow });
  const { categories, buckets } = filter;
  if (categories.length === 0) return streamNameFilter({ regex: '[^\\s\\S]', maxSearchWindow });
  // A stream may have its category as its whole name, so `category-` would be too narrow.
  if (!buckets) return streamNameFilter({ prefixes: [...categories], maxSearchWindow });
  return streamNameFilter({
    regex: `^(?:${categories.join('|')})(?!-(?:${otherBuckets(buckets)})\\.[0-9a-f-]{36}$)`,
    maxSearchWindow,
  });
}

/** Regular expression of few alternatives: `[02468ace]3|[0-9a-f]5`. */
function otherBuckets(buckets: ReadonlySet<number>): string {
  const firstDigits = new Map<string, string>();
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    if (buckets.has(bucket)) continue;
    const [first = '', second = ''] = bucketName(bucket);
    firstDigits.set(second, (firstDigits.get(second) ?? '') + first);
  }
  return [...firstDigits].map(([second, first]) => `[${first}]${second}`).join('|');
}

/** Events searched before the server reports its position. */
export const maxSearchWindow = 512;

/** All readers leave out names with `$`, which are EventStoreDB's own. */
const erasureMarkType = '$StreamErased';

const markId = uuidV5('0d0b9a0e-6f0a-4a52-9a4b-6c4e5f3f1c57');

/**
 * EventStoreDB keeps the last event of a deleted stream for ever, so this one holds no data. Its ID depends only on
 * stream and revision, so that it is written once.
 */
export const erasureMark = (stream: string, revision: bigint) =>
  binaryEvent({ id: markId(`${revision}@${stream}`), type: erasureMarkType, data: new Uint8Array() });

export const isErasureMark = ({ type }: { type: string }): boolean => type === erasureMarkType;
