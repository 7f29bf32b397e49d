import { createHash } from 'node:crypto';
import { recordedAt } from '../stores/event-store/codec.js';
import type { JsonObject, NewEvent, RecordedEvent } from '../stores/event-store/event-store.js';
import { canonicalJson } from '../stores/event-store/serialise.js';

/** Keeps the source's time as `recordedAt`: deliveries and the audit need it, and the target stores its own. */
export function copiedEvent(event: RecordedEvent): NewEvent {
  const { id, type } = event;
  const data = event.data as JsonObject; // the embedded store holds only objects
  const metadata = event.metadata as JsonObject; // likewise
  return { id, type, data, metadata: { ...metadata, recordedAt: recordedAt(event) } };
}

/** SHA-256, base64url, without the position and the store's own time. */
export const digestOf = (event: RecordedEvent): string => digestAs(event, event);

/** Digest expected of the copy. */
export const copiedDigestOf = (event: RecordedEvent): string => digestAs(event, copiedEvent(event));

/** Digest of the first event with the contents of the second. */
export const digestAs = (
  { stream, revision }: RecordedEvent,
  { id, type, data, metadata }: RecordedEvent | NewEvent,
): string =>
  createHash('sha256')
    .update(canonicalJson([stream, revision.toString(), id, type, data ?? null, metadata ?? null]))
    .digest('base64url');

/** First difference; undefined: none. */
export function differenceOf(original: RecordedEvent | undefined, copy: RecordedEvent | undefined): string | undefined {
  if (!original) return copy && `the copy has ${placeOf(copy)}, which the source does not have there`;
  if (!copy) return `the copy lacks ${placeOf(original)}`;
  if (copiedDigestOf(original) === digestOf(copy)) return undefined;
  if (original.stream !== copy.stream || original.revision !== copy.revision || original.id !== copy.id) {
    return `where the source has ${placeOf(original)}, the copy has ${placeOf(copy)}`;
  }
  const expected = copiedEvent(original);
  const field = (['type', 'data'] as const).find((name) => canonicalJson(expected[name]) !== canonicalJson(copy[name]));
  return `the ${field ?? 'metadata'} of ${placeOf(original)} differs in the copy`;
}

const placeOf = ({ stream, revision, id }: RecordedEvent): string =>
  `the event ${id} at revision ${revision} of ${stream}`;
