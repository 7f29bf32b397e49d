import type { Stream } from './stream.js';

/** Revision that a writer expects of a stream: a revision is that of its last event. */
export type ExpectedRevision = 'any' | 'no-stream' | 'stream-exists' | bigint;

/** The numbers by which errors name expectations: those that are no revisions are negative. */
export function expectedRevisionNumber(expected: ExpectedRevision): bigint {
  if (expected === 'no-stream') return -1n;
  if (expected === 'any') return -2n;
  return expected === 'stream-exists' ? -4n : expected;
}

/** True if the expectation holds for a stream that is about to be deleted or tombstoned. */
export function holdsFor(stream: Stream, expected: ExpectedRevision): boolean {
  if (expected === 'any') return true;
  if (expected === 'stream-exists') return !stream.isEmpty;
  if (expected === 'no-stream') return stream.isMissing;
  return stream.lastRevision === expected;
}
