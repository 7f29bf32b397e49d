import type { Command } from 'commander';
import { subject } from '../action.js';
import { hookUrlOption, listenerOption, organisationOption, requiredOrganisation } from '../options.js';

const list = () => import('./list.js');

export function flowCommands(): Command {
  const { commands, add } = subject('flows', 'flow events');
  add(() => import('./publish.js'), 'publish', 'publishes a flow event, as POST /api/flows does')
    .addOption(organisationOption('the organisation of the flow event').makeOptionMandatory())
    .requiredOption('--type <type>', 'the type, such as flow.completed')
    .option('--data <json>', 'the data of the event as JSON; - reads standard input', '{}')
    .option('--id <id>', 'the event’s id: an event published again with the same id is accepted once')
    .option('--flow-id <id>', 'the flow of the event')
    .option('--occurred-at <time>', 'ISO 8601 with an offset; without it, now');
  add(list, 'list', 'lists flow events of an organisation that the fan-out has processed, the latest first')
    .addOption(requiredOrganisation())
    .option('--type <type>', 'only of this type; flow.* for all below it')
    .option('--find <text>', 'only with this ID, flowId or searchable value, or else one that begins so')
    .option('--from <time>', 'only those recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only those recorded at this time or before')
    .option('--limit <number>', 'maximum number of flow events', '100');
  add(list, 'show', 'shows a flow event with its data')
    .argument('<event>', 'the id used to publish it, or its UUID in the store')
    .addOption(requiredOrganisation());
  add(
    () => import('./explain.js'),
    'explain',
    'shows for each listener whether it got a flow event, and why, by the listeners at the event’s time',
  )
    .argument('<event>', 'the id used to publish it, or its UUID in the store')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only this listener'))
    .addOption(hookUrlOption('only this listener'));
  return commands;
}
