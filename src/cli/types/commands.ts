import type { Command } from 'commander';
import { subject } from '../action.js';

const actions = () => import('./actions.js');

export function typeCommands(): Command {
  const { commands, add } = subject(
    'types',
    'declared types of flow events: the catalogue for platforms, and the schemas that published events are checked against',
  );
  const withDefinition = (command: Command) =>
    command
      .argument('<type>', 'the type of the flow events, such as order.paid')
      .option(
        '--schema <json>',
        'JSON Schema (draft 2020-12) of the data; @file reads a file, - standard input; null: none',
      )
      .option('--example <json>', 'an example of the data; @file reads a file; null: none')
      .option('--searchable <paths>', 'values by which flow events are found, such as data.number,data.email');

  withDefinition(add(actions, 'add', 'declares a type, or one that was retired again')).requiredOption(
    '--description <text>',
    'what has happened, for users who choose a trigger',
  );
  withDefinition(add(actions, 'change', 'makes the next version of a type; what is not given stays as it is')).option(
    '--description <text>',
    'what has happened, for users who choose a trigger',
  );
  add(actions, 'list', 'lists the declared types');
  add(actions, 'show', 'shows a type with its schema and example, also one that was retired').argument(
    '<type>',
    'the type',
  );
  add(actions, 'retire', 'offers and checks a type no more; its flow events can still be published').argument(
    '<type>',
    'the type',
  );
  return commands;
}
