/** Maximum number of items processed concurrently, unless a caller says another: enough to hide the latency of a remote store. */
const defaultSize = 50;

/**
 * Processes the items in batches, each batch concurrently. Returns the results in the order of the items. After an error, it
 * begins no other batch, and rejects with the error.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  size = defaultSize,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += size) {
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  }
  return results;
}
