import type { Command } from 'commander';
import { subject } from '../action.js';
import { organisationOption } from '../options.js';

const actions = () => import('./actions.js');

export function apiKeyCommands(): Command {
  const { commands, add } = subject('api-keys', 'API keys of producers');
  add(actions, 'create', 'creates an API key, and prints it: it is stored nowhere and cannot be shown again')
    .requiredOption('--name <name>', 'a name for display')
    .requiredOption(
      '--scope <scope...>',
      'what it permits: flows:publish, flows:read, listeners:read, listeners:write, deliveries:read',
    )
    .addOption(organisationOption('the organisation that it is for'))
    .option('--all-organisations', 'or: it is for every organisation')
    .option('--expires-at <time>', 'the time after which it is refused: ISO 8601 with an offset');
  add(actions, 'list', 'lists API keys with their last use, from the view that a running service projects').addOption(
    organisationOption('only the keys of this organisation'),
  );
  add(actions, 'revoke', 'revokes an API key: every instance refuses it at once').argument(
    '<key>',
    'the ID of the key',
  );
  return commands;
}
