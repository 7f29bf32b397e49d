import { z } from 'zod';
import { maxPosition, parsePosition } from '../../../kernel/input/parse-position.js';

/** The answer of every list. `next` is the `after` of the next page; null on the last page. */
export type List<Item> = { readonly items: readonly Item[]; readonly next: string | null };

/** The schema of a list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    next: z.string().nullable().describe('The `after` of the next page; null on the last page.'),
  });

const maxPage = 1_000;
const aWholeNumber = { error: `must be a whole number from 1 to ${maxPage}` };

/** Maximum number of items in a page, in a query string. */
export const limitParameter = z
  .string(aWholeNumber)
  .regex(/^\d{1,4}$/, aWholeNumber)
  .transform(Number)
  .pipe(z.int(aWholeNumber).min(1, aWholeNumber).max(maxPage, aWholeNumber))
  .default(100);

/** The `next` of the previous page. */
export const afterParameter = z.string().max(256).optional();

const aRevision = { error: `must be a whole number from 0 to ${maxPosition}` };

const isPosition = (text: string): boolean => parsePosition(text) !== undefined;

/** A revision or position: a whole number, as a JSON number or, as answers have it, as text. */
export const wholeNumber = z
  .union([z.int(aRevision).nonnegative(aRevision), z.string(aRevision).refine(isPosition, aRevision)], aRevision)
  .transform(BigInt);

/** The page of these items, which are ordered by the key that `after` returns; `limit`: the maximum size of the page. */
export const pageOf = <Item>(
  items: readonly Item[],
  { limit, after }: { readonly limit: number; readonly after: (last: Item) => string },
): List<Item> => {
  const last = items.at(-1);
  return { items, next: items.length < limit || last === undefined ? null : after(last) };
};
