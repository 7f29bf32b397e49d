import { Command, Option } from 'commander';
import { deliveryStates } from '../../deliveries/queue/delivery.js';
import { lazily } from '../lazily.js';
import { listenerOption, requiredOrganisation } from '../options.js';

/** `deliveries status|list|show|redeliver|stats|set-aside|retry-set-aside`: the queue, and the log of what was sent. */
export function deliveryCommands(): Command {
  const deliveries = new Command('deliveries').description('what is sent to hooks, and what became of it');
  deliveries
    .command('status')
    .description('counts deliveries by state, and events that could not be decoded (set aside)')
    .action(lazily(async () => (await import('./status.js')).showStatus));
  withFilter(deliveries.command('list'))
    .description('lists deliveries of an organisation, those of the latest flow events first')
    .addOption(
      new Option('--state <state>', 'only those in this state; exhausted ones are the dead letters').choices(
        deliveryStates,
      ),
    )
    .option('--limit <number>', 'at most so many', '100')
    .action(lazily(async () => (await import('./list.js')).listDeliveries));
  deliveries
    .command('show')
    .description('shows a delivery and the latest attempts at it')
    .argument('<delivery>', 'the ID of the delivery')
    .addOption(requiredOrganisation())
    .action(lazily(async () => (await import('./show.js')).showOne));
  withFilter(deliveries.command('redeliver'))
    .description('delivers again now, whatever became of it: one delivery, or dead letters by filter')
    .argument('[delivery]', 'the ID of a delivery')
    .addOption(
      new Option('--state <state>', 'those in this state, instead of the dead letters').choices(deliveryStates),
    )
    .option('--all', 'all dead letters of the organisation')
    .action(lazily(async () => (await import('./redeliver.js')).redeliver));
  deliveries
    .command('stats')
    .description('counts attempts of an organisation by hook and by day (UTC), of the last 30 days')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only to this registration'))
    .option('--from <day>', 'from this day on')
    .option('--to <day>', 'up to and with this day')
    .action(lazily(async () => (await import('./stats.js')).showStats));
  deliveries
    .command('set-aside')
    .description('lists events that could not be decoded, and so went to no hook, in their order')
    .action(lazily(async () => (await import('./set-aside.js')).listSetAside));
  deliveries
    .command('retry-set-aside')
    .description('hands events that were set aside to the hooks that were registered when they happened')
    .option('--stream <name>', 'only the event of this stream, at --revision')
    .option('--revision <number>', 'its revision')
    .action(lazily(async () => (await import('./set-aside.js')).retrySetAside));
  return deliveries;
}

/** Options that say which deliveries of an organisation are meant. */
const withFilter = (command: Command): Command =>
  command
    .addOption(requiredOrganisation())
    .option('--event <id>', 'only of this flow event: the id it was published with, or its UUID in the store')
    .option('--listener <id>', 'only to this registration')
    .option('--replay <id>', 'only of this replay')
    .option('--type <type>', 'only of flow events of this type; flow.* for all below it')
    .option('--from <time>', 'only those enqueued then or later: ISO 8601 with its offset')
    .option('--to <time>', 'only those enqueued then or before');
