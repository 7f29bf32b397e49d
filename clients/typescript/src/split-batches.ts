export type BatchLimits = { readonly maxEvents: number; readonly maxBytes: number };

/** Limits below those of the service: 1,000 events and 4 MiB. */
export const batchLimits: BatchLimits = { maxEvents: 1_000, maxBytes: 4_000_000 };

/** Bytes of a JSON array beside its items: the brackets; and a comma before each item but the first. */
const bracketsBytes = 2;
const commaBytes = 1;

/** True if an event of this size fits into a batch of its own. */
export const fitsAlone = (bytes: number, { maxBytes }: BatchLimits): boolean => bytes + bracketsBytes <= maxBytes;

/** Splits events into as few batches as their order allows. Each event must fit into a batch of its own. `bytes`: size as JSON. */
export function splitBatches<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  { maxEvents, maxBytes }: BatchLimits,
): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  let batch: Item[] = [];
  let batchBytes = 0;
  for (const item of items) {
    const addedBytes = commaBytes + item.bytes;
    if (batch.length === 0 || batch.length === maxEvents || batchBytes + addedBytes > maxBytes) {
      batch = [];
      batches.push(batch);
      batchBytes = bracketsBytes - commaBytes;
    }
    batch.push(item);
    batchBytes += addedBytes;
  }
  return batches;
}
