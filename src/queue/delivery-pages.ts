import { InvalidRequest } from '../kernel/domain-error.js';
import { maxPosition } from '../kernel/input/parse-input.js';
import type { DeliveryLog, DeliveryQuery } from './delivery-log.js';

/** The list is sorted by number, then by ID. */
export type ListCursor = { number: bigint; id: string };

export const writeCursor = ({ number, id }: ListCursor): string => `${number}.${id}`;

/** Throws `InvalidRequest` if it is malformed. */
export function readCursor(cursor: string): ListCursor {
  const [, number, id] = /^(-?\d{1,19})\.(.+)$/s.exec(cursor) ?? [];
  if (number === undefined || id === undefined) throw noCursor();
  const place = BigInt(number);
  if (place > maxPosition || place < -maxPosition) throw noCursor();
  return { number: place, id };
}

export const noCursor = (): InvalidRequest =>
  new InvalidRequest('after is not a cursor of this list: use next of the previous page');

type Query = Omit<DeliveryQuery, 'limit' | 'after'>;

export type DeliveryPage = { after: string | undefined; size: number };

const pageSize = 1_000;

export async function deliveryPages(queue: Pick<DeliveryLog, 'deliveries'>, query: Query): Promise<DeliveryPage[]> {
  const found: DeliveryPage[] = [];
  let after: string | undefined;
  do {
    const { deliveries, next } = await queue.deliveries(pageOf(query, after));
    if (deliveries.length > 0) found.push({ after, size: deliveries.length });
    after = next;
  } while (after !== undefined);
  return found;
}

export async function countDeliveries(queue: Pick<DeliveryLog, 'deliveries'>, query: Query): Promise<number> {
  return (await deliveryPages(queue, query)).reduce((sum, { size }) => sum + size, 0);
}

export const pageOf = (query: Query, after: string | undefined): DeliveryQuery => ({
  ...query,
  limit: pageSize,
  after,
});

export const defaultPageSize = 100;

/** The query for one page of deliveries to redeliver: one more than the page, to know whether others follow. */
export const redeliveryQuery = ({ limit = defaultPageSize, ...query }: DeliveryQuery): DeliveryQuery => ({
  ...query,
  limit: limit + 1,
});

export type RedeliveryPage<Row> = {
  /** The earliest flow event first. */
  selected: readonly Row[];
  /** The cursor of the next page; undefined if this is the last. */
  next: string | undefined;
};

/** Listeners that are paused or closed get no redeliveries: `isServed` is false of their deliveries. */
export function redeliveryPage<Row>(
  listed: readonly Row[],
  { limit = defaultPageSize }: DeliveryQuery,
  { isServed, cursorOf }: { isServed: (row: Row) => boolean; cursorOf: (row: Row) => string },
): RedeliveryPage<Row> {
  const page = listed.slice(0, limit);
  const last = page.at(-1);
  return {
    selected: page.filter(isServed).reverse(),
    next: listed.length > limit && last ? cursorOf(last) : undefined,
  };
}
