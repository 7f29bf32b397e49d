export type PageRequest<Cursor> = { limit: number; after?: Cursor };

/**
 * All pages of a list; the last one is shorter or empty. `cursorOf` returns the cursor after an item. Rejects with the
 * error of `fetch`.
 */
export async function* pages<Item, Cursor>(
  pageSize: number,
  fetch: (request: PageRequest<Cursor>) => Promise<readonly Item[]>,
  cursorOf: (item: Item) => Cursor,
): AsyncGenerator<readonly Item[], void> {
  let request: PageRequest<Cursor> = { limit: pageSize };
  for (;;) {
    const page = await fetch(request);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    request = { limit: pageSize, after: cursorOf(last) };
  }
}
