/** Hides the latency of a remote store. */
const defaultSize = 50;

/** Results in the order of the items; each batch runs concurrently. After an error, no further batch begins. */
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
