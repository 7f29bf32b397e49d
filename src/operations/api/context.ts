import type Router from '@koa/router';
import type { ParameterizedContext } from 'koa';
import { z } from 'zod';
import { jsonBody } from '../../http/body.js';
import type { RequestState } from '../../http/context.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-position.js';
import type { Cause } from '../../stores/event-store/codec.js';

/** The state of an admin request. */
export type AdminState = RequestState & {
  /** `admin:<name of the key>`. */
  readonly actor: string;
  /** The cause recorded in events that this request appends. */
  readonly cause: Cause;
};

/** Routes under `/admin/api`, behind the admin key; their paths begin after that. */
export type AdminRoutes = Router<AdminState>;
export type AdminContext = ParameterizedContext<AdminState>;

/** The answer of every list. `next` is the `after` of the next page; null on the last page. */
export type List<Item> = { readonly items: readonly Item[]; readonly next: string | null };

/**
 * The query string, parsed with the schema. Throws `InvalidRequest`, also for a repeated or unknown parameter: a misspelt
 * filter must not be ignored.
 */
export const queryOf = <Shape extends z.ZodRawShape>(ctx: AdminContext, shape: Shape) =>
  parseInput(z.strictObject(shape), { ...ctx.query });

/** The JSON body, parsed with the schema; an absent body counts as `{}`. Throws `InvalidRequest` or `PayloadTooLarge`. */
export const bodyOf = <Shape extends z.ZodRawShape>(ctx: AdminContext, shape: Shape) =>
  hasBody(ctx) ? jsonBody(ctx, z.strictObject(shape)) : parseInput(z.strictObject(shape), {});

/** RFC 9112 §6.3. */
const hasBody = ({ request }: AdminContext): boolean =>
  Boolean(request.length) || request.get('transfer-encoding') !== '';

const maxPage = 1_000;
const aWholeNumber = { error: `must be a whole number from 1 to ${maxPage}` };

/** Maximum number of items in a page, in a query string. */
export const limitParameter = z
  .string(aWholeNumber)
  .regex(/^\d{1,4}$/, aWholeNumber)
  .transform(Number)
  .pipe(z.int(aWholeNumber).min(1, aWholeNumber).max(maxPage, aWholeNumber))
  .default(100);

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
