import type { Target } from './delivery.js';
import type { DeliveryQueue } from './delivery-queue.js';

type Hook = Pick<Target, 'orgId' | 'listenerId'>;

const pageSize = 1_000;

/** How many deliveries to a hook are held. */
export async function countHeld(queue: Pick<DeliveryQueue, 'list'>, hook: Hook): Promise<number> {
  return (await pagesOfHeld(queue, hook)).reduce((sum, { size }) => sum + size, 0);
}

/**
 * Makes what is held of a hook due, the pages of the earliest flow events first: an ordered hook gets them in their order.
 * Returns how many that were. A repeat goes on where a crash left off.
 */
export async function redeliverHeld(
  queue: Pick<DeliveryQueue, 'list' | 'redeliver'>,
  hook: Hook,
  clock: () => number,
): Promise<number> {
  let count = 0;
  for (const { after } of (await pagesOfHeld(queue, hook)).reverse()) {
    const { redelivered } = await queue.redeliver(queryOf(hook, after), clock());
    count += redelivered;
  }
  return count;
}

type Page = { readonly after: string | undefined; readonly size: number };

/** As the queue lists them: those of the latest flow events first. */
async function pagesOfHeld(queue: Pick<DeliveryQueue, 'list'>, hook: Hook): Promise<Page[]> {
  const pages: Page[] = [];
  for (let after: string | undefined; ; ) {
    const page = await queue.list(queryOf(hook, after));
    if (page.length > 0) pages.push({ after, size: page.length });
    if (page.length < pageSize) return pages;
    after = page.at(-1)?.cursor;
  }
}

const queryOf = ({ orgId, listenerId }: Hook, after: string | undefined) => ({
  ...{ orgId, listenerId, limit: pageSize },
  states: ['held' as const],
  ...(after !== undefined && { after }),
});
