import { Command } from 'commander';
import { action } from '../action.js';
import { requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');

export function consentCommands(): Command {
  const consents = new Command('consents').description('consents of users to clients that act for them');
  consents
    .command('list')
    .description(
      'lists the consents in an organisation, from the view that a running service projects, and the events after it',
    )
    .addOption(requiredOrganisation())
    .option('--user <user>', 'only of this user')
    .action(action(actions, 'list'));
  consents
    .command('withdraw')
    .description('ends a consent: the user is asked again at the next sign-in; sessions go on')
    .argument('<consent>', 'the ID of the consent')
    .action(action(actions, 'withdraw'));
  return consents;
}
