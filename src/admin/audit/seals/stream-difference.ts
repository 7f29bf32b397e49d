import { marksIn, type StreamDigest, strideOf } from './stream-digest.js';

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
