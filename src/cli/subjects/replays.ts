import {
  cancelReplayRoute,
  listReplaysRoute,
  showReplayRoute,
  startReplayRoute,
} from '../../admin/api/contracts/replays.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { UsageError } from '../failure.js';
import { recordedBetween } from '../fields.js';
import { type Columns, counted } from '../output.js';
import type { Subject } from '../route-command.js';

const columns: Columns<RouteAnswer<typeof showReplayRoute>> = {
  replay: 'id',
  listener: 'listenerId',
  state: 'state',
  done: ({ percent }) => `${percent} %`,
  'looked at': 'lookedAt',
  enqueued: 'enqueued',
  left: ({ secondsLeft }) => (secondsLeft === null ? '' : `${secondsLeft} s`),
  started: 'startedAt',
  by: 'startedBy',
};

const args = { id: 'replay' };

export function addCommands({ add }: Subject): void {
  add('start', startReplayRoute, {
    about: 'sends past flow events to one listener, also to one that was registered later',
    texts: {
      ...recordedBetween,
      listenerId: 'the listener',
      hookUrl: 'or its URL',
      type: 'only events of this type; flow.* for all below it; without it, the listener’s subscription type',
      eventId: 'only this event: the id used to publish it, or its UUID in the store',
      ratePerSecond: 'maximum number of events a second; 50 without it',
      id: 'the ID of the replay; a repeat with the same ID starts no second one',
    },
    send(given) {
      if (given.listenerId === undefined && given.hookUrl === undefined)
        throw new UsageError('--listener or --hook-url must name the listener');
      return given;
    },
    says: ({ id, state }) => `replay ${id} is ${state}`,
  });
  add('list', listReplaysRoute, {
    about: 'lists replays, from the view that a running service projects',
    texts: { orgId: 'only of this organisation', listenerId: 'only to this listener' },
    columns,
    none: ({ orgId }) => (orgId === undefined ? 'there are no replays' : `${orgId} has no replays`),
  });
  add('show', showReplayRoute, { about: 'shows the progress of a replay', args, columns });
  add('cancel', cancelReplayRoute, {
    about: 'cancels a replay and its waiting deliveries',
    args,
    says({ state, cancelled }, { id }) {
      const deliveries = counted(cancelled, 'waiting delivery of it is', 'waiting deliveries of it are');
      return `replay ${id} is ${state}: ${deliveries} cancelled`;
    },
  });
}
