import { Command } from 'commander';
import { action } from '../action.js';
import { hookUrlOption, listenerOption, organisationOption, requiredOrganisation } from '../options.js';

export function flowCommands(): Command {
  const flows = new Command('flows').description('flow events');
  flows
    .command('publish')
    .description('publishes a flow event, as POST /api/flows does')
    .addOption(organisationOption('the organisation of the flow event').makeOptionMandatory())
    .requiredOption('--type <type>', 'the type, such as flow.completed')
    .option('--data <json>', 'the data of the event as JSON; - reads standard input', '{}')
    .option('--id <id>', 'the event’s id: an event published again with the same id is accepted once')
    .option('--flow-id <id>', 'the flow of the event')
    .option('--occurred-at <time>', 'ISO 8601 with an offset; without it, now')
    .action(action(() => import('./publish.js'), 'publish'));
  flows
    .command('explain')
    .description('shows for each listener whether it got a flow event, and why, by the listeners at the event’s time')
    .argument('<event>', 'the id used to publish it, or its UUID in the store')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only this listener'))
    .addOption(hookUrlOption('only this listener'))
    .action(action(() => import('./explain.js'), 'explain'));
  return flows;
}
