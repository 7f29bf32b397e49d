import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { projectionNames } from './names.js';

/** `projections list|status|rebuild|cancel|skip`: the views that are made from events. */
export function projectionCommands(): Command {
  const projections = new Command('projections').description('the views that are made from events');
  projections
    .command('list')
    .description('lists the views, which build queries go to, and all builds that there are')
    .action(lazily(async () => (await import('./list.js')).list));
  projections
    .command('status')
    .description('how far each view is, what keeps it from going on, and how far its rebuild is')
    .argument('[name]', `one of ${projectionNames}; without it, all of them`)
    .action(lazily(async () => (await import('./status.js')).status));
  projections
    .command('rebuild')
    .description(
      'builds a view anew from all events, beside the live one, and then points queries at it; killed at any point, the same ' +
        'command goes on',
    )
    .argument('[name]', `one of ${projectionNames}`)
    .option('--all', 'all of them, one after the other')
    .option('--verify', 'compare all documents first, and leave queries where they are if one differs')
    .action(lazily(async () => (await import('./rebuild.js')).rebuildViews));
  projections
    .command('cancel')
    .description('cancels the rebuild of a view, whichever process is at it; queries go on where they went')
    .argument('<name>', `one of ${projectionNames}`)
    .action(lazily(async () => (await import('./cancel.js')).cancel));
  projections
    .command('skip')
    .description('has a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event')
    .argument('<name>', `one of ${projectionNames}`)
    .argument('<position>', 'where the view stands: see projections status')
    .requiredOption('--why <text>', 'for people who read the history')
    .action(lazily(async () => (await import('./skip.js')).skip));
  return projections;
}
