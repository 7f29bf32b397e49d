import { type Command, Option } from 'commander';
import { subject } from '../action.js';
import { requiredOrganisation } from '../options.js';

export function portalCommands(): Command {
  const { commands, add } = subject('portal', 'the portal, in which an organisation sees its own listeners');
  add(
    () => import('./actions.js'),
    'link',
    'makes a link that opens one session of the portal, and prints it: treat it as a password',
  )
    .addOption(requiredOrganisation())
    .addOption(
      new Option('--role <role>', 'a viewer reads; an operator also changes listeners and publishes flow events')
        .choices(['viewer', 'operator'])
        .default('viewer'),
    )
    .option('--user <user>', 'the user, for the history; without it, the organisation')
    .option('--expires-in <seconds>', 'time in which it can be opened', '600')
    .option('--session <minutes>', 'duration of the session', '60');
  return commands;
}
