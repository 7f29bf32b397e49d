import { type Command, Option } from 'commander';
import { subject } from '../action.js';
import { organisationOption } from '../options.js';

const actions = () => import('./actions.js');

export function sessionCommands(): Command {
  const { commands, add } = subject('sessions', 'sessions of users: what their tokens belong to');
  const withFilter = (command: Command) =>
    command
      .addOption(organisationOption('only of this organisation'))
      .option('--user <user>', 'only of this user')
      .option('--client <client>', 'only of this client');

  withFilter(
    add(
      actions,
      'list',
      'lists sessions, from the view that a running service projects; one that has expired is still active',
    ),
  ).addOption(new Option('--state <state>', 'only those in this state').choices(['active', 'revoked']));
  withFilter(
    add(
      actions,
      'revoke',
      'revokes one session, or all of an organisation, a user or a client: their tokens are refused at once',
    ).option('--session <id>', 'only this session'),
  );
  return commands;
}
