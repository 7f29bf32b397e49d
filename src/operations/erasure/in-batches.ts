/** Maximum number of items processed concurrently: enough to hide the latency of a remote store. */
const batchSize = 50;

/** Processes the items in batches, each batch concurrently. Returns the results in the order of the items. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += batchSize) {
    results.push(...(await Promise.all(items.slice(at, at + batchSize).map(work))));
  }
  return results;
}
