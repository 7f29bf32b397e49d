import { Command } from 'commander';
import { action } from '../action.js';

const actions = () => import('./actions.js');

export function typeCommands(): Command {
  const types = new Command('types').description(
    'declared types of flow events: the catalogue for platforms, and the schemas that published events are checked against',
  );
  const withDefinition = (name: string, description: string) =>
    types
      .command(name)
      .description(description)
      .argument('<type>', 'the type of the flow events, such as order.paid')
      .option(
        '--schema <json>',
        'JSON Schema (draft 2020-12) of the data; @file reads a file, - standard input; null: none',
      )
      .option('--example <json>', 'an example of the data; @file reads a file; null: none');

  withDefinition('add', 'declares a type, or one that was retired again')
    .requiredOption('--description <text>', 'what has happened, for users who choose a trigger')
    .action(action(actions, 'add'));
  withDefinition('change', 'makes the next version of a type; what is not given stays as it is')
    .option('--description <text>', 'what has happened, for users who choose a trigger')
    .action(action(actions, 'change'));
  types.command('list').description('lists the declared types').action(action(actions, 'list'));
  types
    .command('show')
    .description('shows a type with its schema and example, also one that was retired')
    .argument('<type>', 'the type')
    .action(action(actions, 'show'));
  types
    .command('retire')
    .description('offers and checks a type no more; its flow events can still be published')
    .argument('<type>', 'the type')
    .action(action(actions, 'retire'));
  return types;
}
