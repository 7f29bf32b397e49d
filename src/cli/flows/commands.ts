import type { Command } from 'commander';
import { subject } from '../action.js';
import { hookUrlOption, listenerOption, organisationOption, requiredOrganisation } from '../options.js';

export function flowCommands(): Command {
  const { commands, add } = subject('flows', 'flow events');
  add(() => import('./publish.js'), 'publish', 'publishes a flow event, as POST /api/flows does')
    .addOption(organisationOption('the organisation of the flow event').makeOptionMandatory())
    .requiredOption('--type <type>', 'the type, such as flow.completed')
    .option('--data <json>', 'the data of the event as JSON; - reads standard input', '{}')
    .option('--id <id>', 'the event’s id: an event published again with the same id is accepted once')
    .option('--flow-id <id>', 'the flow of the event')
    .option('--occurred-at <time>', 'ISO 8601 with an offset; without it, now');
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
