import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { projectionNames } from './names.js';

/** `projections list|status|rebuild|cancel|skip`: the views built from events. */
export function projectionCommands(): Command {
  const projections = new Command('projections').description('the views built from events');
  projections
    .command('list')
    .description('lists the views, the live build of each, and all other builds')
    .action(lazily(async () => (await import('./list.js')).list));
  projections
    .command('status')
    .description('shows the position of each view, why it has stopped, and the progress of its rebuild')
    .argument('[name]', `one of ${projectionNames}; without it, all of them`)
    .action(lazily(async () => (await import('./status.js')).status));
  projections
    .command('rebuild')
    .description(
      'builds a view again from all events, beside the live one, and then switches queries to it; killed at any point, the ' +
        'same command continues',
    )
    .argument('[name]', `one of ${projectionNames}`)
    .option('--all', 'all views, one after the other')
    .option('--verify', 'compare all documents first, and do not switch queries if one differs')
    .action(lazily(async () => (await import('./rebuild.js')).rebuildViews));
  projections
    .command('cancel')
    .description('cancels the rebuild of a view in any process; queries keep the live build')
    .argument('<name>', `one of ${projectionNames}`)
    .action(lazily(async () => (await import('./cancel.js')).cancel));
  projections
    .command('skip')
    .description(
      'makes a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event',
    )
    .argument('<name>', `one of ${projectionNames}`)
    .argument('<position>', 'the position of the event: see projections status')
    .requiredOption('--why <text>', 'the reason, recorded in the history')
    .action(lazily(async () => (await import('./skip.js')).skip));
  return projections;
}
