import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { requiredOrganisation } from '../options.js';

/** `orgs erase`, and `orgs settings`: the defaults of an organisation's new registrations; changed where an option is given. */
export function organisationCommands(): Command {
  const organisations = new Command('orgs').description('organisations');
  organisations
    .command('settings')
    .description('shows what new registrations of an organisation get by default, and changes what is given')
    .addOption(requiredOrganisation())
    .option('--ordered', 'one delivery at a time, in the order of the flow events')
    .option('--no-ordered', 'no order is kept')
    .option('--rate <number>', 'the most deliveries a second, or none')
    .action(lazily(async () => (await import('./settings.js')).settings));
  organisations
    .command('erase')
    .description('makes all that is kept of an organisation go for good; run again, it finishes what was cut short')
    .argument('<organisation>', 'its ID')
    .requiredOption('--yes <organisation>', 'its ID once more: what is erased cannot be brought back')
    .action(lazily(async () => (await import('./erase.js')).erase));
  return organisations;
}
