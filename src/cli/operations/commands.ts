import { Command } from 'commander';
import { action } from '../action.js';
import { hookUrlOption } from '../options.js';

const actions = () => import('./actions.js');

/** `operations types|subscribe`: what the service tells its operators. */
export function operationCommands(): Command {
  const operations = new Command('operations').description(
    'operational events: what the service tells its operators, of the organisation flow-hooks.operations',
  );
  operations.command('types').description('lists the types of operational events').action(action(actions, 'types'));
  operations
    .command('subscribe')
    .description('registers a listener for operational events, and prints its signing secret')
    .addOption(hookUrlOption('where they are sent').makeOptionMandatory())
    .requiredOption('--type <type>', 'a type, or a prefix such as listener.*')
    .option('--filter <json>', 'conditions on the event')
    .option('--transform <jsonata>', 'makes the body of a request')
    .action(action(actions, 'subscribe'));
  return operations;
}
