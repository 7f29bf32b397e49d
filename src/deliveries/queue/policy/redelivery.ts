import type { DeliveryQuery } from '../delivery-log.js';

/** Maximum number of deliveries in a page for which the query names no limit. */
export const defaultPageSize = 100;

/** The query for one page of deliveries to redeliver: one more than the page, to know whether others follow. */
export const redeliveryQuery = ({ limit = defaultPageSize, ...query }: DeliveryQuery): DeliveryQuery => ({
  ...query,
  limit: limit + 1,
});

export type RedeliveryPage<Row> = {
  /** The deliveries to make due, in the order in which their listeners should get them: the earliest flow event first. */
  readonly wanted: readonly Row[];
  /** The cursor of the next page; undefined if this is the last. */
  readonly next: string | undefined;
};

/**
 * The page of deliveries to redeliver, from the result of `redeliveryQuery`. Listeners that are paused, and those whose gate is
 * closed, get no redeliveries: `isServed` is false of their deliveries.
 */
export function redeliveryPage<Row>(
  listed: readonly Row[],
  { limit = defaultPageSize }: DeliveryQuery,
  { isServed, cursorOf }: { readonly isServed: (row: Row) => boolean; readonly cursorOf: (row: Row) => string },
): RedeliveryPage<Row> {
  const page = listed.slice(0, limit);
  const last = page.at(-1);
  return {
    wanted: page.filter(isServed).reverse(),
    next: listed.length > limit && last ? cursorOf(last) : undefined,
  };
}
