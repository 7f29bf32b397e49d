type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null };

/** The items of all pages, one page at a time. A page may be empty and have a next one. */
export async function* itemsOf<Item>(
  pageAfter: (after: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let after: string | undefined;
  do {
    const { items, next } = await pageAfter(after);
    yield* items;
    after = next ?? undefined;
  } while (after !== undefined);
}
