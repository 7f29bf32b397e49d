import { pages } from '../../kernel/pages.js';
import type { DeliveryQuery } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';

type Query = Omit<DeliveryQuery, 'limit' | 'after'>;

/** A page of a list: what stands behind `after`, its beginning where that is undefined. */
export type DeliveryPage = { readonly after: string | undefined; readonly size: number };

const pageSize = 1_000;

/** As the queue lists them: those of the latest flow events first. */
export async function deliveryPages(queue: Pick<DeliveryQueue, 'list'>, query: Query): Promise<DeliveryPage[]> {
  const found: DeliveryPage[] = [];
  let after: string | undefined;
  const list = ({ after }: { readonly after?: string }) => queue.list(pageOf(query, after));
  for await (const page of pages(pageSize, list, ({ cursor }) => cursor)) {
    if (page.length > 0) found.push({ after, size: page.length });
    after = page.at(-1)?.cursor;
  }
  return found;
}

/** How many there are. */
export async function countDeliveries(queue: Pick<DeliveryQueue, 'list'>, query: Query): Promise<number> {
  return (await deliveryPages(queue, query)).reduce((sum, { size }) => sum + size, 0);
}

export const pageOf = (query: Query, after: string | undefined): DeliveryQuery => ({
  ...query,
  limit: pageSize,
  ...(after !== undefined && { after }),
});
