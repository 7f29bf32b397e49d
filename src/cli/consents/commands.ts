import type { Command } from 'commander';
import { subject } from '../action.js';
import { requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');

export function consentCommands(): Command {
  const { commands, add } = subject('consents', 'consents of users to clients that act for them');
  add(
    actions,
    'list',
    'lists the consents in an organisation, from the view that a running service projects, and the events after it',
  )
    .addOption(requiredOrganisation())
    .option('--user <user>', 'only of this user');
  add(actions, 'withdraw', 'ends a consent: the user is asked again at the next sign-in; sessions continue').argument(
    '<consent>',
    'the ID of the consent',
  );
  return commands;
}
