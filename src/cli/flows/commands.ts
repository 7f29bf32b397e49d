import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { hookUrlOption, listenerOption, organisationOption, requiredOrganisation } from '../options.js';

/** `flows publish` does what `POST /api/flows` does; `flows explain` says what became of it at each hook. */
export function flowCommands(): Command {
  const flows = new Command('flows').description('flow events');
  flows
    .command('publish')
    .description('publishes a flow event, as POST /api/flows does')
    .addOption(organisationOption('the organisation in which it happened').makeOptionMandatory())
    .requiredOption('--type <type>', 'the type, such as flow.completed')
    .option('--data <json>', 'what happened, as JSON; - reads it from standard input', '{}')
    .option('--id <id>', 'published again with the same id, an event is taken once')
    .option('--flow-id <id>', 'the flow that it belongs to')
    .option('--occurred-at <time>', 'ISO 8601 with its offset; without it, now')
    .action(lazily(async () => (await import('./publish.js')).publish));
  flows
    .command('explain')
    .description('says of each hook whether it got a flow event, and why or why not, as of when the event happened')
    .argument('<event>', 'the id it was published with, or its UUID in the store')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only this registration'))
    .addOption(hookUrlOption('only this hook'))
    .action(lazily(async () => (await import('./explain.js')).explain));
  return flows;
}
