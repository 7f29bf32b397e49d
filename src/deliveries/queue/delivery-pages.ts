import type { DeliveryQuery } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';

type Query = Omit<DeliveryQuery, 'limit' | 'after'>;

/** A page of a list: what stands behind `after`, its beginning where that is undefined. */
export type DeliveryPage = { readonly after: string | undefined; readonly size: number };

const pageSize = 1_000;

/** As the queue lists them: those of the latest flow events first. */
export async function deliveryPages(queue: Pick<DeliveryQueue, 'list'>, query: Query): Promise<DeliveryPage[]> {
  const pages: DeliveryPage[] = [];
  for (let after: string | undefined; ; ) {
    const page = await queue.list(pageOf(query, after));
    if (page.length > 0) pages.push({ after, size: page.length });
    if (page.length < pageSize) return pages;
    after = page.at(-1)?.cursor;
  }
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
