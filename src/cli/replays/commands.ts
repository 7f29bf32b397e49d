import { Command } from 'commander';
import { action } from '../action.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');

export function replayCommands(): Command {
  const replays = new Command('replays').description('past flow events, sent to one listener');
  replays
    .command('start')
    .description('sends past flow events to one listener, also to one that was registered later')
    .addOption(requiredOrganisation())
    .option('--listener <id>', 'the listener')
    .addOption(hookUrlOption('or its URL'))
    .option('--from <time>', 'only events recorded at this time or later: ISO 8601 with an offset')
    .option('--to <time>', 'only events recorded at this time or before')
    .option(
      '--type <type>',
      'only events of this type; flow.* for all below it; without it, the listener’s subscription type',
    )
    .option('--event <id>', 'only this event: the id used to publish it, or its UUID in the store')
    .option('--rate <number>', 'maximum number of events a second; 50 without it')
    .option('--id <uuid>', 'the ID of the replay; a repeat with the same ID starts no second one')
    .action(action(actions, 'start'));
  replays
    .command('list')
    .description('lists the replays of an organisation, from the view that a running service projects')
    .addOption(requiredOrganisation())
    .action(action(actions, 'list'));
  replays
    .command('show')
    .description('shows the progress of a replay')
    .argument('<replay>', 'the ID of the replay')
    .action(action(actions, 'show'));
  replays
    .command('cancel')
    .description('cancels a replay and its waiting deliveries')
    .argument('<replay>', 'the ID of the replay')
    .action(action(actions, 'cancel'));
  return replays;
}
