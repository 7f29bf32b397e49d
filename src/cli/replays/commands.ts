import type { Command } from 'commander';
import { subject } from '../action.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';

const actions = () => import('./actions.js');

export function replayCommands(): Command {
  const { commands, add } = subject('replays', 'past flow events, sent to one listener');
  add(actions, 'start', 'sends past flow events to one listener, also to one that was registered later')
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
    .option('--id <uuid>', 'the ID of the replay; a repeat with the same ID starts no second one');
  add(actions, 'list', 'lists the replays of an organisation, from the view that a running service projects').addOption(
    requiredOrganisation(),
  );
  add(actions, 'show', 'shows the progress of a replay').argument('<replay>', 'the ID of the replay');
  add(actions, 'cancel', 'cancels a replay and its waiting deliveries').argument('<replay>', 'the ID of the replay');
  return commands;
}
