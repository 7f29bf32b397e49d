import { setImmediate as nextTurn } from 'node:timers/promises';
import { type PageRequest, pages } from '../kernel/pages.js';
import type { Projection } from './projection.js';
import type { DocumentFinder, FoundDocument, Query } from './read-model.js';

const pageSize = 1_000;

/** All documents of a view, or those that a lookup finds. Throws `StoreUnavailable` where the view has not been built. */
export async function* viewDocuments(
  readModel: DocumentFinder,
  projection: Projection,
  where: Query['where'] = {},
): AsyncGenerator<FoundDocument, void> {
  const find = (page: PageRequest<string>) => readModel.find(projection, { where, ...page });
  for await (const page of pages(pageSize, find, ({ key }) => key)) {
    yield* page;
    await nextTurn(); // embedded views answer synchronously: let other work run
  }
}
