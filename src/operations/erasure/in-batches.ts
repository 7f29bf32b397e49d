const waveSize = 50;

/** Does the work for each, so many of them side by side, and gives what came of each in their order. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += waveSize) {
    results.push(...(await Promise.all(items.slice(at, at + waveSize).map(work))));
  }
  return results;
}
