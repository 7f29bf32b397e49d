import { Command } from 'commander';
import { action } from '../action.js';

const actions = () => import('./actions.js');

/** The names of all views, for help, which does not load the views; a test compares both. */
export const projectionNames =
  'listeners, listener-history, sessions, integration-tasks, replays, api-keys, event-types, organisation-streams';

export function projectionCommands(): Command {
  const projections = new Command('projections').description('the views built from events');
  projections
    .command('list')
    .description('lists the views, the live build of each, and all other builds')
    .action(action(actions, 'list'));
  projections
    .command('status')
    .description('shows the position of each view, why it has stopped, and the progress of its rebuild')
    .argument('[name]', `one of ${projectionNames}; without it, all of them`)
    .action(action(actions, 'status'));
  projections
    .command('rebuild')
    .description(
      'builds a view again from all events, beside the live one, and then switches queries to it; killed at any point, the ' +
        'same command continues',
    )
    .argument('[name]', `one of ${projectionNames}`)
    .option('--all', 'all views, one after the other')
    .option('--verify', 'compare all documents first, and do not switch queries if one differs')
    .action(action(() => import('./rebuild.js'), 'rebuildViews'));
  projections
    .command('cancel')
    .description('cancels the rebuild of a view in any process; queries keep the live build')
    .argument('<name>', `one of ${projectionNames}`)
    .action(action(actions, 'cancel'));
  projections
    .command('skip')
    .description(
      'makes a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event',
    )
    .argument('<name>', `one of ${projectionNames}`)
    .argument('<position>', 'the position of the event: see projections status')
    .requiredOption('--why <text>', 'the reason, recorded in the history')
    .action(action(actions, 'skip'));
  return projections;
}
