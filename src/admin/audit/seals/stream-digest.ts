import { createHash } from 'node:crypto';
import type { RecordedEvent } from '../../../stores/event-store/event-store.js';
import { copiedDigestOf } from '../../store-copy/copied-event.js';

/**
 * Identifies the content of a stream: a running SHA-256 over the digests of its events. Each of these covers stream,
 * revision, event ID, type, data and metadata in canonical form, but no property that a copy to another store changes.
 */
export type StreamDigest = {
  /** Revisions of the first event and of the last. */
  readonly first: bigint;
  readonly last: bigint;
  readonly events: number;
  /** Base64url. */
  readonly digest: string;
  /**
   * The first 4 characters of the running digest after each event, or in long streams after each `strideOf` events: the
   * first mark that differs locates a change.
   */
  readonly marks: string;
};

const markLength = 4;
/** Maximum number of marks, so that the digest of a long stream stays small. */
const maxMarks = 256;

/** Number of events between two marks in a stream of this many events; a power of two. */
export function strideOf(events: number): number {
  let stride = 1;
  while (events > maxMarks * stride) stride *= 2;
  return stride;
}

/** The digest of a stream with one more event. `stride`: the stride of the digest with which the result will be compared. */
export function extended(before: StreamDigest | undefined, event: RecordedEvent, stride?: number): StreamDigest {
  const events = (before?.events ?? 0) + 1;
  const digest = createHash('sha256')
    .update(before?.digest ?? '')
    .update(copiedDigestOf(event))
    .digest('base64url');
  const every = stride ?? strideOf(events);
  const kept = stride === undefined && every > strideOf(events - 1) ? everySecond(before?.marks ?? '') : before?.marks;
  const mark = events % every === 0 ? digest.slice(0, markLength) : '';
  return {
    first: before?.first ?? event.revision,
    last: event.revision,
    events,
    digest,
    marks: `${kept ?? ''}${mark}`,
  };
}

const everySecond = (marks: string): string =>
  marksIn(marks)
    .filter((_, index) => index % 2 === 1)
    .join('');

/** The separate marks. */
export const marksIn = (marks: string): readonly string[] => marks.match(/.{4}/g) ?? [];
