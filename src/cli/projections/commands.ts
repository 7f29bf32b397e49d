import type { Command } from 'commander';
import { subject } from '../action.js';
import { projectionNames } from './names.js';

const actions = () => import('./actions.js');

export function projectionCommands(): Command {
  const { commands, add } = subject('projections', 'the views built from events');
  add(actions, 'list', 'lists the views, the live build of each, and all other builds');
  add(
    actions,
    'status',
    'shows the position of each view, why it has stopped, and the progress of its rebuild',
  ).argument('[name]', `one of ${projectionNames}; without it, all of them`);
  add(
    () => import('./rebuild.js'),
    'rebuild',
    'builds a view again from all events, beside the live one, and then switches queries to it; killed at any point, the ' +
      'same command continues',
    'rebuildViews',
  )
    .argument('[name]', `one of ${projectionNames}`)
    .option('--all', 'all views, one after the other')
    .option('--verify', 'compare all documents first, and do not switch queries if one differs');
  add(actions, 'cancel', 'cancels the rebuild of a view in any process; queries keep the live build').argument(
    '<name>',
    `one of ${projectionNames}`,
  );
  add(
    actions,
    'skip',
    'makes a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event',
  )
    .argument('<name>', `one of ${projectionNames}`)
    .argument('<position>', 'the position of the event: see projections status')
    .requiredOption('--why <text>', 'the reason, recorded in the history');
  return commands;
}
