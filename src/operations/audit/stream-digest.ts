import { createHash } from 'node:crypto';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import { copiedDigestOf } from '../store-copy/copied-event.js';

/**
 * What tells whether a stream is still what it was: a running SHA-256 over the digests of its events, each of which covers
 * stream, revision, event ID, type, data and metadata in canonical form, and nothing that a copy to another store changes.
 */
export type StreamDigest = {
  /** Revisions of the first event and of the last. */
  readonly first: bigint;
  readonly last: bigint;
  readonly events: number;
  /** Base64url. */
  readonly digest: string;
  /**
   * The first 4 characters of the running digest at every event, or in long streams at every `strideOf` events: where they
   * begin to differ, something was changed.
   */
  readonly marks: string;
};

const markLength = 4;
/** So the digest of a stream stays small however long the stream is. */
const maxMarks = 256;

/** How many events lie between two marks of a stream of so many: a power of two. */
export function strideOf(events: number): number {
  let stride = 1;
  while (events > maxMarks * stride) stride *= 2;
  return stride;
}

/** The digest of a stream with one more event. `stride`: that of another digest, to be held against it. */
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

/** The marks one by one. */
export const marksIn = (marks: string): readonly string[] => marks.match(/.{4}/g) ?? [];
