import { type Command, Option } from 'commander';
import { keptUuid } from '../../asked-uuid.js';
import { deliveryState } from '../../deliveries/contract.js';
import type { DeliveryState } from '../../deliveries/delivery.js';
import type { ListedDelivery } from '../../deliveries/delivery-log.js';
import { showDelivery } from '../../deliveries/redeliver.js';
import { searchDeliveries } from '../../deliveries/search-deliveries.js';
import { attemptSummary, deliverySummary } from '../../deliveries/summaries.js';
import { contextOf } from '../command-context.js';
import { requiredOrganisation, wholeNumber } from '../options.js';
import { beginningOf, printRows } from '../output.js';
import { type FilterOptions, filterOf, withFilter } from './filter.js';

type ListOptions = FilterOptions & { readonly state?: DeliveryState; readonly limit: string };

/** `deliveries list` and `deliveries show`. */
export function addDeliverySearchCommands(deliveries: Command): void {
  withFilter(deliveries.command('list'))
    .description('lists deliveries of an organisation, those of the latest flow events first')
    .addOption(
      new Option('--state <state>', 'only those in this state; exhausted ones are the dead letters').choices(
        deliveryState.options,
      ),
    )
    .option('--limit <number>', 'at most so many', '100')
    .action(async ({ state, limit, ...filter }: ListOptions, command: Command) => {
      const { output, withStores } = contextOf(command);
      const most = wholeNumber('--limit', limit, 1, 10_000);
      const query = { ...filterOf(filter), ...(state && { states: [state] }) };
      const found: ListedDelivery[] = [];
      await withStores(async (stores) => {
        const queue = await stores.deliveries();
        for (let after: string | undefined; ; ) {
          const page = await searchDeliveries(queue, {
            ...{ ...query, limit: Math.min(1_000, most - found.length) },
            ...(after !== undefined && { after }),
          });
          found.push(...page.deliveries);
          after = page.next;
          if (after === undefined || found.length >= most) return;
        }
      });
      printRows(
        output,
        found.map(deliverySummary),
        {
          event: ({ eventId }) => eventId,
          listener: ({ listenerId }) => listenerId,
          state: ({ state }) => state,
          attempts: ({ attempts }) => attempts,
          'last attempt': ({ lastAttemptAt }) => lastAttemptAt,
          status: ({ lastStatus }) => lastStatus,
          error: ({ lastError }) => lastError,
          due: ({ dueAt }) => dueAt,
          id: ({ id }) => id,
        },
        `${filter.org} has no such deliveries`,
      );
    });
  deliveries
    .command('show')
    .description('shows a delivery and the latest attempts at it')
    .argument('<delivery>', 'the ID of the delivery', keptUuid)
    .addOption(requiredOrganisation())
    .action(async (id: string, { org }: { readonly org: string }, command: Command) => {
      const { output, withStores } = contextOf(command);
      const { delivery, attempts } = await withStores(async (stores) =>
        showDelivery(await stores.deliveries(), org, id),
      );
      const summary = deliverySummary(delivery);
      if (output.json) {
        output.write(JSON.stringify({ ...summary, log: attempts.map(attemptSummary) }));
        return;
      }
      const fields = Object.entries(summary).map(([field, value]) => ({ field, value }));
      printRows(output, fields, { field: ({ field }) => field, value: ({ value }) => value }, '');
      output.write('');
      printRows(
        output,
        attempts.map(attemptSummary),
        {
          attempt: ({ startedAt }) => startedAt,
          took: ({ durationMs }) => `${durationMs} ms`,
          status: ({ status }) => status,
          error: ({ error }) => error,
          address: ({ address }) => address,
          answer: ({ answer }) => answer && beginningOf(answer, 80),
        },
        'no attempt has been made',
      );
    });
}
