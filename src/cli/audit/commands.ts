import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

const fullScanOption = [
  '--full-scan',
  'read every event instead of asking a view which streams are meant: slower, needs no view, the same answer',
] as const;

/** `audit history|as-of|verify|seal|check`: what the events say, and whether they are still what they were. */
export function auditCommands(): Command {
  const audit = new Command('audit').description('what happened to registrations, when, and who did it');
  audit
    .command('history')
    .description(
      'every change to an organisation’s registrations, integration task and settings, in order, read from the events',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only of this hook'))
    .option('--listener <id>', 'only of this registration')
    .option('--user [user]', 'also what the sessions of this user did; without a name, those of every user')
    .option('--from <time>', 'only what was recorded then or later: ISO 8601 with its offset')
    .option('--to <time>', 'only what was recorded then or before')
    .option(...fullScanOption)
    .action(lazily(async () => (await import('./history.js')).showHistory));
  audit
    .command('as-of')
    .description('what an organisation had registered at an instant, be it active or paused, read from the events')
    .requiredOption(
      '--at <time|position>',
      'ISO 8601 with its offset: what had been recorded by then; or the position of an event of this store',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only this hook'))
    .option(...fullScanOption)
    .action(lazily(async () => (await import('./as-of.js')).showAsOf));
  audit
    .command('verify')
    .description(
      'makes every view anew from all events, beside, and compares it with the live one; lists each difference, and then ' +
        'ends with 1; a service may be running',
    )
    .action(lazily(async () => (await import('./verify.js')).verify));
  audit
    .command('seal')
    .description(
      'writes a signed digest of every registration and session up to now into a file, by which audit check tells later ' +
        'whether anything of it was changed, added or removed; keep a copy of the file where nobody who can write the ' +
        'store can write',
    )
    .requiredOption('--to <file>', 'the seal: a file that is not there yet')
    .action(lazily(async () => (await import('./seal.js')).seal));
  audit
    .command('check')
    .description(
      'tells whether anything that a seal covers was changed, added or removed since, also in a copy of the store; lists ' +
        'the first difference of each stream, and then ends with 1',
    )
    .argument('<seal>', 'the file that audit seal has written')
    .option(
      '--key <thumbprint>',
      'trust only a seal by this signing key (RFC 7638), instead of those that the store has on record',
    )
    .action(lazily(async () => (await import('./check.js')).check));
  return audit;
}
