import { type BoundedPage, boundedPage } from '../kernel/bounded-page.js';
import type { PageRequest } from '../kernel/pages.js';
import type { Projection } from './projection.js';
import type { DocumentFinder, Query } from './read-model.js';

type PageQuery<Document> = Omit<Query, 'order'> & {
  /** Condition that no index serves. */
  isSelected?: ((document: Document) => boolean) | undefined;
  maxExamined?: number | undefined;
};

/** `examined`: number of documents up to the end of the page. */
export type DocumentPage<Document> = BoundedPage<Document> & { examined: number };

/** A bounded page of a view's documents, which have this type. `limit`: default 100. Rejects with the errors of `find`. */
export async function findPage<Document>(
  readModel: DocumentFinder,
  projection: Projection,
  { limit = 100, after, isSelected, maxExamined, ...query }: PageQuery<Document>,
): Promise<DocumentPage<Document>> {
  type Row = { key: string; document: Document; examined: number };
  let examined = 0;
  const read = async (request: PageRequest<string>) => {
    const page = await readModel.find(projection, { ...query, ...request });
    const found = page.map(
      ({ key, document }, index): Row => ({
        key,
        document: document as Document, // the projection wrote it
        examined: examined + index + 1,
      }),
    );
    examined += page.length;
    return {
      items: isSelected ? found.filter(({ document }) => isSelected(document)) : found,
      next: page.length === request.limit ? page.at(-1)?.key : undefined,
    };
  };
  const { items, next } = await boundedPage(
    { limit, after, maxExamined },
    {
      read,
      examines: isSelected ? 'many' : 'few',
      cursorOf: ({ key }: Row) => key,
    },
  );
  const last = items.at(-1);
  return {
    items: items.map(({ document }) => document),
    next,
    examined: last && last.key === next ? last.examined : examined,
  };
}
