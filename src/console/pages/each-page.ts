/** The pages of a list or of a command that is repeated until it is done, one after the other. */
export async function* eachPage<Page extends { next: string | null }>(
  read: (after: string | undefined) => Promise<Page>,
  maxPages = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page, void> {
  let after: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await read(after);
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}
