type Page<Item> = { readonly items: readonly Item[]; readonly next: string | undefined };

/** All items of a paged query. */
export async function pagesOf<Item>(
  page: (after: string | undefined) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await page(after);
    all.push(...items);
    after = next;
  } while (after !== undefined);
  return all;
}
