import { Command } from 'commander';
import { action } from '../action.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

const history = () => import('./history.js');
const seals = () => import('./seals.js');

const fullScanOption = [
  '--full-scan',
  'read all events instead of finding streams in a view: slower, needs no view, same answer',
] as const;

export function auditCommands(): Command {
  const audit = new Command('audit').description('the history of listeners: changes, times and actors');
  audit
    .command('history')
    .description(
      'every change to an organisation’s listeners, integration task and settings, in order, read from the events',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only of this listener'))
    .option('--listener <id>', 'only of this listener')
    .option('--user [user]', 'also events of the sessions and consents of this user; without a name, of every user')
    .option('--from <time>', 'only events recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only events recorded at this time or before')
    .option(...fullScanOption)
    .action(action(history, 'showHistory'));
  audit
    .command('service-history')
    .description(
      'every change to the registered clients, to the keys of the service and to event types, in order, read from the events',
    )
    .option('--from <time>', 'only events recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only events recorded at this time or before')
    .option(...fullScanOption)
    .action(action(history, 'showServiceHistory'));
  audit
    .command('as-of')
    .description('the listeners of an organisation at an instant, active and paused, read from the events')
    .requiredOption(
      '--at <time|position>',
      'ISO 8601 with an offset, by the recorded times of events; or the position of an event of this store',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only this listener'))
    .option(...fullScanOption)
    .action(action(history, 'showAsOf'));
  audit
    .command('verify')
    .description(
      'folds all events again and compares the result with every live view; lists each difference, and then ends with 1; a ' +
        'service may be running',
    )
    .action(action(() => import('./verify.js'), 'verify'));
  audit
    .command('seal')
    .description(
      'writes a signed digest of every listener, session, API key and consent up to now into a file, with which audit check ' +
        'later finds changed, added and removed events; keep a copy of the file where users who can write the store cannot write',
    )
    .requiredOption('--to <file>', 'the seal: a file that does not exist yet')
    .action(action(seals, 'seal'));
  audit
    .command('check')
    .description(
      'finds events that were changed, added or removed since a seal, also in a copy of the store; lists the first ' +
        'difference of each stream, and then ends with 1',
    )
    .argument('<seal>', 'the file that audit seal wrote')
    .option(
      '--key <thumbprint>',
      'trust only a seal by this signing key (RFC 7638), instead of all keys recorded in the store',
    )
    .action(action(seals, 'check'));
  return audit;
}
