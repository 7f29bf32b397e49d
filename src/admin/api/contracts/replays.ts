import { z } from 'zod';
import { listenerIdParameter, uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { replayRequest } from '../../replays/operate-replays.js';
import { cancelledReplayAnswer, replayAnswer, replayExample } from '../answers/replay.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'replays';
const params = {
  id: uuidParameter('the ID of a replay must be a UUID').meta({
    description: 'The ID of a replay.',
    examples: [exampleIds.replayId],
  }),
};

export const startReplayRoute = adminRoute({
  method: 'post',
  path: '/replays',
  subject,
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
    example: { ...replayExample, lookedAt: 0, enqueued: 0, reached: null, percent: 0, secondsLeft: null },
  },
  errors: [
    'not_found',
    'flow_event_not_found',
    'flow_event_deleted',
    'listener_not_registered',
    'listener_paused',
    'filter_mismatch',
  ],
  access: { role: 'operator', organisation: 'body' },
});

export const listReplaysRoute = adminRoute({
  method: 'get',
  path: '/replays',
  subject,
  summary: 'List replays',
  description: 'Of all organisations, one, or one listener; in the order of their start, or the latest first.',
  query: {
    orgId: orgIdField.optional(),
    listenerId: listenerIdParameter.optional(),
    order: z.enum(['latest']).optional(),
    limit: limitParameter,
    after: afterParameter,
  },
  answer: { schema: listOf(replayAnswer), example: { items: [replayExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const showReplayRoute = adminRoute({
  method: 'get',
  path: '/replays/:id',
  subject,
  summary: 'Show the progress of a replay',
  params,
  answer: { schema: replayAnswer, example: replayExample },
  errors: ['replay_not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const cancelReplayRoute = adminRoute({
  method: 'post',
  path: '/replays/:id/cancel',
  subject,
  summary: 'Cancel a replay',
  description: 'Its waiting and held deliveries are cancelled; attempts in progress are completed.',
  params,
  answer: {
    schema: cancelledReplayAnswer,
    example: {
      ...replayExample,
      state: 'cancelled',
      endedAt: exampleTimes.after,
      reason: 'requested',
      endedBy: 'admin:ops',
      secondsLeft: null,
      cancelled: 80,
    },
  },
  errors: ['replay_not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const replayContracts = [startReplayRoute, listReplaysRoute, showReplayRoute, cancelReplayRoute];
