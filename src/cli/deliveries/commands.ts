import { Command } from 'commander';
import { countsSummary } from '../../deliveries/summaries.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { addDeliverySearchCommands } from './list.js';
import { addRedeliverCommands } from './redeliver.js';
import { addSetAsideCommands } from './set-aside.js';
import { addStatsCommand } from './stats.js';

/** `deliveries status|list|show|redeliver|stats|set-aside|retry-set-aside`: what is in the queue, and what became of what was. */
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
          held: ({ held }) => held,
          succeeded: ({ succeeded }) => succeeded,
          exhausted: ({ exhausted }) => exhausted,
          cancelled: ({ cancelled }) => cancelled,
          'set aside': ({ setAside }) => setAside,
          'oldest due': ({ oldestDueAt }) => oldestDueAt,
        },
        '',
      );
    });
  addDeliverySearchCommands(deliveries);
  addRedeliverCommands(deliveries);
  addStatsCommand(deliveries);
  addSetAsideCommands(deliveries);
  return deliveries;
}
