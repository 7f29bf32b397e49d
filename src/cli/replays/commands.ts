import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

/** `replays start|list|show|cancel`: past flow events to one hook. A running service carries them out. */
export function replayCommands(): Command {
  const replays = new Command('replays').description('past flow events, sent to one hook');
  replays
    .command('start')
    .description('sends past flow events to one hook, also to one that was not registered when they happened')
    .addOption(requiredOrganisation())
    .option('--listener <id>', 'the registration of the hook')
    .addOption(hookUrlOption('or its URL'))
    .option('--from <time>', 'those recorded then or later: ISO 8601 with its offset')
    .option('--to <time>', 'those recorded then or before')
    .option(
      '--type <type>',
      'only those of this type; flow.* for all below it. Without it, what the hook is subscribed to',
    )
    .option('--event <id>', 'just this one: the id it was published with, or its UUID in the store')
    .option('--rate <number>', 'at most so many a second; 50 without it')
    .option('--id <uuid>', 'the ID that the replay gets: started again under the same, it is the same')
    .action(lazily(async () => (await import('./start.js')).start));
  replays
    .command('list')
    .description('lists the replays of an organisation, from the view that a running service keeps up to date')
    .addOption(requiredOrganisation())
    .action(lazily(async () => (await import('./list.js')).list));
  replays
    .command('show')
    .description('shows how far a replay is')
    .argument('<replay>', 'the ID of the replay')
    .action(lazily(async () => (await import('./show.js')).show));
  replays
    .command('cancel')
    .description('ends a replay, and cancels what of it still waits')
    .argument('<replay>', 'the ID of the replay')
    .action(lazily(async () => (await import('./cancel.js')).cancel));
  return replays;
}
