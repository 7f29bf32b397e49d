import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { replayRequest } from '../../replays/contract.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter } from './lists.js';

const subject = 'Replays';
const params = { id: uuidParameter('the ID of a replay must be a UUID') };

export const startReplayRoute = adminRoute({
  method: 'post',
  path: '/replays',
  subject,
  summary: 'Start a replay of past flow events to one hook',
  body: replayRequest,
  answer: { status: 201, schema: z.unknown(), example: {} },
  errors: ['not_found', 'flow_event_not_found', 'flow_event_deleted', 'hook_not_registered', 'hook_paused'],
  access: { role: 'operator', organisation: 'body' },
});

export const listReplaysRoute = adminRoute({
  method: 'get',
  path: '/replays',
  subject,
  summary: 'List the replays of an organisation',
  query: { orgId: opaqueId, limit: limitParameter, after: afterParameter },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const showReplayRoute = adminRoute({
  method: 'get',
  path: '/replays/:id',
  subject,
  summary: 'Show the progress of a replay',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['replay_not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const cancelReplayRoute = adminRoute({
  method: 'post',
  path: '/replays/:id/cancel',
  subject,
  summary: 'Cancel a replay and its waiting deliveries',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['replay_not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const replayContracts = [startReplayRoute, listReplaysRoute, showReplayRoute, cancelReplayRoute];
