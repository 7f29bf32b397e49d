import type { Command } from 'commander';
import { searchDeliveries } from '../../deliveries/queries/search-deliveries.js';
import { type DeliverySummary, deliverySummaries } from '../../deliveries/queries/summaries.js';
import type { DeliveryState } from '../../deliveries/queue/delivery.js';
import type { WaitsFor } from '../../deliveries/queue/waits.js';
import { contextOf } from '../command-context.js';
import { wholeNumber } from '../options.js';
import { printRows } from '../output.js';
import { type FilterOptions, filterOf } from './filter.js';

type Options = FilterOptions & { readonly state?: DeliveryState; readonly limit: string };

const waitTexts: Readonly<Record<WaitsFor, string>> = {
  schedule: 'schedule',
  'retry-after': 'Retry-After',
  breaker: 'circuit breaker',
  rate: 'rate limit',
  order: 'order',
  'a worker': 'a worker',
  resume: 'resume',
  redelivery: 'redelivery',
};

/** `deliveries list`: deliveries of an organisation, latest flow events first. */
export async function listDeliveries({ state, limit, ...filter }: Options, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const most = wholeNumber('--limit', limit, 1, 10_000);
  const query = { ...filterOf(filter), ...(state && { states: [state] }) };
  const found: DeliverySummary[] = [];
  await withStores(async (stores) => {
    const queue = await stores.deliveries();
    for (let after: string | undefined; ; ) {
      const page = await searchDeliveries(queue, {
        ...query,
        limit: Math.min(1_000, most - found.length),
        ...(after !== undefined && { after }),
      });
      found.push(...(await deliverySummaries(queue, page.deliveries, Date.now())));
      after = page.next;
      if (after === undefined || found.length >= most) return;
    }
  });
  printRows(
    output,
    found,
    {
      event: ({ eventId }) => eventId,
      listener: ({ listenerId }) => listenerId,
      state: ({ state }) => state,
      'waits for': ({ waitsFor }) => waitsFor && waitTexts[waitsFor],
      until: ({ waitsUntil }) => waitsUntil,
      attempts: ({ attempts }) => attempts,
      'last attempt': ({ lastAttemptAt }) => lastAttemptAt,
      status: ({ lastStatus }) => lastStatus,
      error: ({ lastError }) => lastError,
      id: ({ id }) => id,
    },
    `${filter.org} has no such deliveries`,
  );
}
