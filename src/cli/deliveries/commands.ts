import { Command, Option } from 'commander';
import { deliveryStates } from '../../deliveries/queue/delivery.js';
import { action } from '../action.js';
import { listenerOption, requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');
const setAside = () => import('./set-aside.js');

export function deliveryCommands(): Command {
  const deliveries = new Command('deliveries').description('deliveries to listeners, and their attempts');
  deliveries
    .command('status')
    .description('counts deliveries by state, and events that could not be decoded (set aside)')
    .action(action(actions, 'showStatus'));
  withFilter(deliveries.command('list'))
    .description('lists deliveries of an organisation, latest flow events first')
    .addOption(
      new Option('--state <state>', 'only deliveries in this state; exhausted ones are the dead letters').choices(
        deliveryStates,
      ),
    )
    .option('--limit <number>', 'maximum number of deliveries', '100')
    .action(action(actions, 'listDeliveries'));
  deliveries
    .command('show')
    .description('shows a delivery and the latest attempts at it')
    .argument('<delivery>', 'the ID of the delivery')
    .addOption(requiredOrganisation())
    .action(action(actions, 'showOne'));
  withFilter(deliveries.command('redeliver'))
    .description('delivers again now, in any state: one delivery by its ID, or dead letters by a filter')
    .argument('[delivery]', 'the ID of a delivery')
    .addOption(
      new Option('--state <state>', 'deliveries in this state instead of dead letters').choices(deliveryStates),
    )
    .option('--all', 'all dead letters of the organisation')
    .action(action(actions, 'redeliver'));
  deliveries
    .command('stats')
    .description(
      'counts attempts of an organisation by listener and by day (UTC), by default of the 30 days until --to',
    )
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only to this listener'))
    .option('--from <day>', 'first day')
    .option('--to <day>', 'last day; by default today')
    .action(action(actions, 'showStats'));
  deliveries
    .command('set-aside')
    .description('lists events that could not be decoded and so were not delivered, in order')
    .action(action(setAside, 'listSetAside'));
  deliveries
    .command('retry-set-aside')
    .description(
      'decodes events that were set aside again, and delivers them to the listeners registered at their time',
    )
    .option('--stream <name>', 'only the event of this stream, at --revision')
    .option('--revision <number>', 'its revision')
    .action(action(setAside, 'retrySetAside'));
  return deliveries;
}

/** Options that select deliveries of an organisation. */
const withFilter = (command: Command): Command =>
  command
    .addOption(requiredOrganisation())
    .option('--event <id>', 'only of this flow event: the id it was published with, or its UUID in the store')
    .option('--listener <id>', 'only to this listener')
    .option('--replay <id>', 'only of this replay')
    .option('--type <type>', 'only of flow events of this type; flow.* for all below it')
    .option('--from <time>', 'only deliveries enqueued at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only deliveries enqueued at this time or before');
