import { z } from 'zod';
import { listenerIdParameter, uuidParameter } from '../../../kernel/input/texts.js';
import { replayRequest } from '../../replays/operate-replays.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import {
  afterParameter,
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  orgIdField,
  time,
  timeOrNull,
} from './fields.js';

const place = z.strictObject({ stream: z.string(), revision: z.string() });

const replay = {
  id: z.uuid(),
  orgId: z.string(),
  listenerId: z.uuid(),
  from: timeOrNull,
  to: timeOrNull,
  type: z.string().nullable().describe('The subscription type that selects its flow events; null: every type.'),
  event: place.nullable().describe('The only flow event that it sends; null: it sends several.'),
  ratePerSecond: z.number().positive(),
  startedAt: time,
  lookedAt: z.int().nonnegative().describe('Number of flow events examined.'),
  enqueued: z.int().nonnegative().describe('Number of deliveries enqueued.'),
  reached: place.nullable().describe('The last flow event that it has examined.'),
  state: z.enum(['running', 'completed', 'cancelled']),
  progressedAt: time,
  endedAt: timeOrNull,
  reason: z.string().nullable().describe('The reason of the cancellation.'),
  startedBy: z.string().nullable(),
  endedBy: z.string().nullable(),
  percent: z.number().min(0).max(100),
  secondsLeft: z.int().nullable().describe('Estimate; null if unknown.'),
};

const replayAnswer = z
  .strictObject(replay)
  .meta({ id: 'Replay', description: 'Past flow events, sent again to one listener.' });

const cancelledReplayAnswer = z
  .strictObject({ ...replay, cancelled: z.int().nonnegative().describe('Number of deliveries that were cancelled.') })
  .meta({ id: 'CancelledReplay' });

const example = { type: 'flow.*', lookedAt: 1_000, enqueued: 120, percent: 25 };

const route = adminRoutesOf('replays');
const params = {
  id: uuidParameter('the ID of a replay must be a UUID').meta({
    description: 'The ID of a replay.',
    examples: [exampleIds.replayId],
  }),
};

export const startReplayRoute = route('startReplay', 'post', '/replays', {
  summary: 'Start a replay',
  description:
    'Sends past flow events to one listener again: those recorded from `from` to `to` of a `type`, or the one of `eventId`. The listener is ' +
    'named by `listenerId` or `hookUrl`. A repeat with the same `id` starts no second replay.',
  body: { ...replayRequest, orgId: orgIdField },
  bodyExample: {
    orgId: exampleIds.orgId,
    listenerId: exampleIds.listenerId,
    from: exampleTimes.before,
    to: exampleTimes.at,
    type: 'flow.*',
  },
  answer: {
    status: 201,
    schema: replayAnswer,
  },
  errors: [
    'not_found',
    'flow_event_not_found',
    'flow_event_deleted',
    'listener_not_registered',
    'listener_paused',
    'filter_mismatch',
  ],
  access: { role: 'operator', action: 'replay', organisation: 'body' },
});

export const listReplaysRoute = route('listReplays', 'get', '/replays', {
  summary: 'List replays',
  description: 'Replays of all organisations, one, or one listener; in the order of their start, or the latest first.',
  query: {
    orgId: orgIdField.optional(),
    listenerId: listenerIdParameter.optional(),
    order: z.enum(['latest']).optional(),
    limit: limitParameter,
    after: afterParameter,
  },
  answer: listAnswer(replayAnswer, example),
  access: { role: 'viewer', organisation: 'query' },
});

export const showReplayRoute = route('showReplay', 'get', '/replays/:id', {
  summary: 'Show the progress of a replay',
  params,
  answer: { schema: replayAnswer, example },
  errors: ['replay_not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const cancelReplayRoute = route('cancelReplay', 'post', '/replays/:id/cancel', {
  summary: 'Cancel a replay',
  description: 'Its waiting and held deliveries are cancelled; attempts in progress are completed.',
  params,
  answer: {
    schema: cancelledReplayAnswer,
    example: { ...example, state: 'cancelled', reason: 'requested', endedBy: 'admin:ops', cancelled: 80 },
  },
  errors: ['replay_not_found'],
  access: { role: 'operator', action: 'replay', organisation: 'of-object' },
});

export const replayContracts = route.declared;
