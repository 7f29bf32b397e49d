import { randomUUID } from 'node:crypto';
import type { ProposedEvent } from './recorded-event.js';

/** Part of a stream that its metadata hide. */
export interface Retention {
  truncateBefore?: number;
  maxCount?: number;
  maxAgeS?: number;
}

/** The largest 64-bit revision, as JSON.parse reads it: what a soft delete sets as `$tb`. */
export const deletedTruncateBefore = Number(9_223_372_036_854_775_807n);

export const metastreamOf = (stream: string) => `$$${stream}`;

/** The stream that a metastream describes; undefined for any other stream. */
export const describedBy = (stream: string) => (stream.startsWith('$$') ? stream.slice(2) : undefined);

/** Metadata as an object; empty when they are no JSON object, as the server then ignores them. */
export function parseMetadata(data: Uint8Array): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    // An object that JSON.parse made has string keys and unknown values.
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function retentionOf(data: Uint8Array): Retention {
  const metadata = parseMetadata(data);
  const { $tb: truncateBefore, $maxCount: maxCount, $maxAge: maxAgeS } = metadata;
  return {
    ...(typeof truncateBefore === 'number' && { truncateBefore }),
    ...(typeof maxCount === 'number' && { maxCount }),
    ...(typeof maxAgeS === 'number' && { maxAgeS }),
  };
}

export const metadataEvent = (json: string): ProposedEvent => ({
  id: randomUUID(),
  type: '$metadata',
  contentType: 'application/json',
  data: Buffer.from(json),
  metadata: new Uint8Array(),
});

/** Written as text: as a number the revision would be rounded. */
export const softDeletion = () => metadataEvent('{"$tb":9223372036854775807}');
