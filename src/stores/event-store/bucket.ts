export const bucketCount = 256;

/**
 * Bucket from 0 to 255: FNV-1a of the UTF-16 code units, mixed as MurmurHash3 ends. Permanent: names of streams and the partitions of the
 * fan-out, which have checkpoints, are derived from it.
 */
export function bucketOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % bucketCount;
}

/** Two hexadecimal digits. */
export const bucketName = (bucket: number): string => bucket.toString(16).padStart(2, '0');

/** Bucket of a stream named `<category>-<two hexadecimal digits>.<UUID>`. */
export function bucketIn(stream: string): number | undefined {
  const digits = /^[^-]+-([0-9a-f]{2})\.[0-9a-f-]{36}$/.exec(stream)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
