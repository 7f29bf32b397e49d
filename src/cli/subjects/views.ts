import { cancelRebuildRoute, skipEventRoute } from '../../admin/api/contracts/views.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import type { Subject } from '../route-command.js';
import { viewNamed, viewNames } from '../views/names.js';

const views = () => import('../views/status.js');
const name = `one of ${viewNames}`;

const cancelledTexts = {
  asked: 'the process that rebuilds it stops after its current batch',
  dropped: 'the unfinished build was dropped',
  none: 'no rebuild is running, and none was left unfinished',
} as const;

export function addCommands({ add, addByHand }: Subject): void {
  addByHand('list', 'lists the views, the live build of each, and all other builds', views, 'list');
  addByHand(
    'status',
    'shows the position of each view, why it has stopped, and the progress of its rebuild',
    views,
    'status',
  ).argument('[name]', `${name}; without it, all of them`);
  addByHand(
    'rebuild',
    'builds a view again from all events, beside the live one, and then switches queries to it; killed at any point, the ' +
      'same command continues',
    () => import('../views/rebuild.js'),
    'rebuildViews',
  )
    .argument('[name]', name)
    .option('--all', 'all views, one after the other')
    .option('--verify', 'compare all documents first, and do not switch queries if one differs');
  add('cancel', cancelRebuildRoute, {
    about: 'cancels the rebuild of a view in any process; queries keep the live build',
    texts: { name },
    send: ({ name }) => ({ name: viewNamed(`${name}`) }),
    prints: ({ name, cancelled }, output) =>
      printResult(output, { view: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`),
  });
  add('skip', skipEventRoute, {
    about: 'makes a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event',
    args: { position: 'position' },
    texts: {
      name,
      position: 'the position of the event: see views status',
      why: 'the reason, recorded in the history',
    },
    send({ name, position, why }) {
      viewNamed(`${name}`);
      if (parsePosition(`${position}`) === undefined)
        throw new UsageError(`a position is a whole number from 0 to ${maxPosition}`);
      if (`${why}`.trim() === '') throw new UsageError('--why must give a reason');
      return { name, position, why };
    },
    says: ({ eventType, revision, stream }, { name }) =>
      `${name} leaves out ${eventType} at revision ${revision} of ${stream}; a view that has ` +
      'stopped before it continues within a minute',
  });
}
