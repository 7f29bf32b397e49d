import { createHash } from 'node:crypto';
import { copiedEvent, digestAs, digestOf } from '../../store-copy/copied-event.js';
import type { JsonObject, RecordedEvent } from '../../stores/event-store/event-store.js';

/** Running SHA-256 over stream, revision, event ID, type, data and metadata, which copies to other stores keep. */
export type StreamDigest = {
  first: bigint;
  last: bigint;
  events: number;
  digest: string;
  /** First 4 characters of the running digest at every `strideOf` events: the first different one locates a change. */
  marks: string;
};

const markLength = 4;
const maxMarks = 256;

/** Events between two marks; a power of two. */
export function strideOf(events: number): number {
  let stride = 1;
  while (events > maxMarks * stride) stride *= 2;
  return stride;
}

/** `stride`: that of the digest to compare with. */
export function extended(before: StreamDigest | undefined, event: RecordedEvent, stride?: number): StreamDigest {
  const events = (before?.events ?? 0) + 1;
  const digest = createHash('sha256')
    .update(before?.digest ?? '')
    .update(sealedDigestOf(event))
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

/**
 * Digest of the event's copy, which has the store's time where the event has none. Metadata that readers refuse count as they are:
 * replacing them would hide the change.
 */
function sealedDigestOf(event: RecordedEvent): string {
  const { metadata, created } = event;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return digestOf(event);
  const { recordedAt } = metadata as JsonObject;
  if (recordedAt === undefined && Number.isNaN(created.getTime())) return digestOf(event);
  const copy = copiedEvent(event);
  const isTime = recordedAt === undefined || recordedAt === copy.metadata.recordedAt;
  return isTime ? digestAs(event, copy) : digestOf(event);
}

const everySecond = (marks: string): string =>
  marksIn(marks)
    .filter((_, index) => index % 2 === 1)
    .join('');

export const marksIn = (marks: string): readonly string[] => marks.match(/.{4}/g) ?? [];

export type StreamDifference = {
  kind: 'changed' | 'removed' | 'added';
  /** Inclusive range that contains the first different event. */
  from: bigint;
  to: bigint;
};

export type FoundStream = StreamDigest & {
  /** First missing revision between two others. */
  gap?: bigint;
};

/** Undefined: no difference up to the sealed revision. */
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
