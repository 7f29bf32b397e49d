import type { Stores } from '../service/stores/command-stores.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Follower } from '../stores/read-model/follower.js';
import { watch } from '../stores/read-model/following/watch.js';
import type { Projection } from '../stores/read-model/projection.js';
import type { ReadModel } from '../stores/read-model/read-model.js';

type ViewSources = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly viewPassed: Follower['passed'];
};

/** Runs work that reads a view of a running service; `viewPassed` waits for the view as long as a service does. */
export async function withView<Result>(
  stores: Stores,
  projection: Projection,
  work: (sources: ViewSources) => Promise<Result>,
): Promise<Result> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const view = watch({ store, readModel, projection });
  try {
    return await work({ store, readModel, viewPassed: view.passed });
  } finally {
    await view.stop();
  }
}

/** All pages of a query. */
export async function* pagesOf<Page extends { readonly next?: string | null | undefined }>(
  fetch: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let after: string | undefined;
  do {
    const page = await fetch(after);
    yield page;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** The items of all pages of a query. */
export async function allItems<Page extends { readonly next?: string | null | undefined }, Item>(
  fetch: (after: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const page of pagesOf(fetch)) all.push(...itemsOf(page));
  return all;
}
