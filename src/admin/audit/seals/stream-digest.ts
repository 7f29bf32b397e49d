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

/** The first difference between a stream and its sealed digest. */
export type StreamDifference = {
  readonly kind: 'changed' | 'removed' | 'added';
  /** The first event that differs has one of these revisions, both inclusive; they are equal where it is known exactly. */
  readonly from: bigint;
  readonly to: bigint;
};

/** The digest of a sealed stream as found in the store, up to the sealed revision. */
export type FoundStream = StreamDigest & {
  /** The first revision that is missing between two others. */
  readonly gap?: bigint | undefined;
};

/** Undefined where nothing was changed, added or removed up to the sealed revision. */
export function streamDifference(sealed: StreamDigest, found: FoundStream | undefined): StreamDifference | undefined {
  if (!found) return { kind: 'removed', from: sealed.first, to: sealed.last };
  if (found.digest === sealed.digest) return undefined;
  if (found.first < sealed.first) return { kind: 'added', from: found.first, to: sealed.first - 1n };
  if (found.first > sealed.first) return { kind: 'removed', from: sealed.first, to: found.first - 1n };

  const range = firstDifferingRange(sealed, found);
  if (found.gap !== undefined && found.gap <= range.to) return { kind: 'removed', from: found.gap, to: found.gap };
  if (found.last < range.from) return { kind: 'removed', from: found.last + 1n, to: sealed.last };
  return { kind: 'changed', ...range };
}

/** The events from the last equal mark up to the first different one. */
function firstDifferingRange(sealed: StreamDigest, found: StreamDigest) {
  const stride = BigInt(strideOf(sealed.events));
  const foundMarks = marksIn(found.marks);
  const sealedMarks = marksIn(sealed.marks);
  const differing = sealedMarks.findIndex((mark, index) => mark !== foundMarks[index]);
  const same = BigInt(differing === -1 ? sealedMarks.length : differing);
  const from = sealed.first + same * stride;
  const to = from + stride - 1n;
  return { from, to: to < sealed.last ? to : sealed.last };
}
