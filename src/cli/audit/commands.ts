import type { Command } from 'commander';
import { subject } from '../action.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

const history = () => import('./history.js');
const seals = () => import('./seals.js');

const fullScanOption = [
  '--full-scan',
  'read all events instead of finding streams in a view: slower, needs no view, same answer',
] as const;

export function auditCommands(): Command {
  const { commands, add } = subject('audit', 'the history of listeners: changes, times and actors');
  add(
    history,
    'history',
    'every change to an organisation’s listeners, integration task and settings, in order, read from the events',
  )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only of this listener'))
    .option('--listener <id>', 'only of this listener')
    .option('--limit <number>', 'only the latest, at most this number')
    .option('--user [user]', 'also sessions, consents and portal links of this user; without a name, of every user')
    .option('--from <time>', 'only events recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only events recorded at this time or before')
    .option(...fullScanOption);
  add(
    history,
    'service-history',
    'every change to the registered clients, to the keys of the service and to event types, and every erasure, in order, read from the events',
  )
    .option('--from <time>', 'only events recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only events recorded at this time or before')
    .option(...fullScanOption);
  add(history, 'as-of', 'the listeners of an organisation at an instant, active and paused, read from the events')
    .requiredOption(
      '--at <time|position>',
      'ISO 8601 with an offset, by the recorded times of events; or the position of an event of this store',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only this listener'))
    .option(...fullScanOption);
  add(
    () => import('./verify.js'),
    'verify',
    'folds all events again and compares the result with every live view; lists each difference, and then ends with 1; a ' +
      'service may be running',
  );
  add(
    seals,
    'seal',
    'writes a signed digest of every listener, session, API key and consent up to now into a file, with which audit check ' +
      'later finds changed, added and removed events; keep a copy of the file where users who can write the store cannot write',
  ).requiredOption('--to <file>', 'the seal: a file that does not exist yet');
  add(
    seals,
    'check',
    'finds events that were changed, added or removed since a seal, or that only some readers see, also in a copy of the store; lists the first ' +
      'difference of each stream, and then ends with 1',
  )
    .argument('<seal>', 'the file that audit seal wrote')
    .option(
      '--signed-by <thumbprint>',
      'trust only a seal by this signing key (RFC 7638), instead of all keys recorded in the store',
    );
  return commands;
}
