import { Command } from 'commander';
import { findDeliveries } from '../deliveries/find-deliveries.js';
import { countsSummary, deliverySummary } from '../deliveries/summaries.js';
import { contextOf } from './command-context.js';
import { requiredOrganisation, wholeNumber } from './options.js';
import { printRows } from './output.js';
import { addSetAsideCommands } from './set-aside.js';

type ListOptions = {
  readonly org: string;
  readonly event?: string;
  readonly listener?: string;
  readonly limit: string;
};

/** `deliveries status|list|set-aside|retry-set-aside`: what is in the queue, and what became of what was. */
export function deliveryCommands(): Command {
  const deliveries = new Command('deliveries').description('what is sent to hooks, and what became of it');
  deliveries
    .command('status')
    .description('counts deliveries by state, and events that could not be decoded (set aside)')
    .action(async (_: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      const counts = await withStores(async (stores) => (await stores.deliveries()).counts(Date.now()));
      printRows(
        output,
        [countsSummary(counts)],
        {
          waiting: ({ waiting }) => waiting,
          succeeded: ({ succeeded }) => succeeded,
          exhausted: ({ exhausted }) => exhausted,
          cancelled: ({ cancelled }) => cancelled,
          'set aside': ({ setAside }) => setAside,
          'oldest due': ({ oldestDueAt }) => oldestDueAt,
        },
        '',
      );
    });
  deliveries
    .command('list')
    .description('lists deliveries of an organisation, those of the latest flow events first')
    .addOption(requiredOrganisation())
    .option('--event <id>', 'only of this flow event: the id it was published with, or its UUID in the store')
    .option('--listener <id>', 'only to this registration')
    .option('--limit <number>', 'at most so many', '100')
    .action(async ({ org, event, listener, limit }: ListOptions, command: Command) => {
      const { output, withStores } = contextOf(command);
      const query = {
        ...{ orgId: org, limit: wholeNumber('--limit', limit, 1, 10_000) },
        ...(event !== undefined && { eventId: event }),
        ...(listener !== undefined && { listenerId: listener }),
      };
      const found = await withStores(async (stores) => findDeliveries(await stores.deliveries(), query));
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
        },
        `${org} has no such deliveries`,
      );
    });
  addSetAsideCommands(deliveries);
  return deliveries;
}
