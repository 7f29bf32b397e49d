/**
 * The partition of an organisation, from 0 to `count` - 1: FNV-1a of its UTF-16 code units, mixed as MurmurHash3 ends.
 * Permanent: each partition has a stored checkpoint.
 */
export function partitionOf(orgId: string, count: number): number {
  if (count === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < orgId.length; at += 1) hash = Math.imul(hash ^ orgId.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}

/** The partitions of the fan-out, the same number on all instances, and those that this instance holds now. */
export type Partitions = { count: number; owned: () => ReadonlySet<number> };
