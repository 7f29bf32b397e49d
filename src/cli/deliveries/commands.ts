import { type Command, Option } from 'commander';
import { deliveryStates } from '../../deliveries/queue/delivery.js';
import { subject } from '../action.js';
import { listenerOption, requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');
const setAside = () => import('./set-aside.js');

export function deliveryCommands(): Command {
  const { commands, add } = subject('deliveries', 'deliveries to listeners, and their attempts');
  add(actions, 'status', 'counts deliveries by state, and events that could not be decoded (set aside)');
  withFilter(add(actions, 'list', 'lists deliveries of an organisation, latest flow events first'))
    .addOption(
      new Option('--state <state>', 'only deliveries in this state; exhausted ones are the dead letters').choices(
        deliveryStates,
      ),
    )
    .option('--limit <number>', 'maximum number of deliveries', '100');
  add(actions, 'show', 'shows a delivery and the latest attempts at it')
    .argument('<delivery>', 'the ID of the delivery')
    .addOption(requiredOrganisation());
  withFilter(
    add(actions, 'redeliver', 'delivers again now, in any state: one delivery by its ID, or dead letters by a filter'),
  )
    .argument('[delivery]', 'the ID of a delivery')
    .addOption(
      new Option('--state <state>', 'deliveries in this state instead of dead letters').choices(deliveryStates),
    )
    .option('--all', 'all dead letters of the organisation');
  add(
    actions,
    'stats',
    'counts attempts of an organisation by listener and by day (UTC), by default of the 30 days until --to',
  )
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only to this listener'))
    .option('--from <day>', 'first day')
    .option('--to <day>', 'last day; by default today');
  add(setAside, 'set-aside', 'lists events that could not be decoded and so were not delivered, in order');
  add(
    setAside,
    'retry-set-aside',
    'decodes events that were set aside again, and delivers them to the listeners registered at their time',
  )
    .option('--stream <name>', 'only the event of this stream, at --revision')
    .option('--revision <number>', 'its revision');
  return commands;
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
