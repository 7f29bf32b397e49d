import { Command } from 'commander';
import { action } from '../action.js';
import { requiredOrganisation } from '../options.js';

export function organisationCommands(): Command {
  const organisations = new Command('orgs').description('organisations');
  organisations
    .command('settings')
    .description(
      'shows the defaults of an organisation’s new listeners and the check of its flow events, and changes what is given',
    )
    .addOption(requiredOrganisation())
    .option('--ordered', 'one delivery at a time, in the order of the flow events')
    .option('--no-ordered', 'several deliveries at a time, in no order')
    .option('--rate <number>', 'maximum number of deliveries a second, or none')
    .option('--event-types <check>', 'flow events that do not match their event type: off, warn, refuse')
    .action(action(() => import('./settings.js'), 'settings'));
  organisations
    .command('erase')
    .description('deletes all data of an organisation; run again, it completes an interrupted erasure')
    .argument('<organisation>', 'its ID')
    .requiredOption('--yes <organisation>', 'its ID again: erased data cannot be restored')
    .action(action(() => import('./erase.js'), 'erase'));
  return organisations;
}
