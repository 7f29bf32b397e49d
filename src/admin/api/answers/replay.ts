import { z } from 'zod';
import { exampleIds, exampleTimes, time, timeOrNull } from './values.js';

const place = z.strictObject({ stream: z.string(), revision: z.string() });

const replay = {
  id: z.uuid(),
  orgId: z.string(),
  listenerId: z.uuid(),
  from: timeOrNull,
  to: timeOrNull,
  type: z.string().nullable().describe('The subscription type that selects its flow events; null: every type.'),
  event: place.nullable().describe('The only flow event that it sends.'),
  ratePerSecond: z.number().positive(),
  startedAt: time,
  lookedAt: z.int().nonnegative().describe('Number of flow events examined.'),
  enqueued: z.int().nonnegative().describe('Number of deliveries enqueued.'),
  reached: place.nullable().describe('The flow event up to which it has come.'),
  state: z.enum(['running', 'completed', 'cancelled']),
  progressedAt: time,
  endedAt: timeOrNull,
  reason: z.string().nullable().describe('Why it was cancelled.'),
  startedBy: z.string().nullable(),
  endedBy: z.string().nullable(),
  percent: z.number().min(0).max(100),
  secondsLeft: z.int().nullable().describe('Estimated; null where that is unknown.'),
};

export const replayAnswer = z
  .strictObject(replay)
  .meta({ id: 'Replay', description: 'Past flow events, sent again to one listener.' });

export const cancelledReplayAnswer = z
  .strictObject({ ...replay, cancelled: z.int().nonnegative().describe('Number of deliveries that were cancelled.') })
  .meta({ id: 'CancelledReplay' });

export const replayExample = {
  id: exampleIds.replayId,
  orgId: exampleIds.orgId,
  listenerId: exampleIds.listenerId,
  from: exampleTimes.before,
  to: exampleTimes.at,
  type: 'flow.*',
  event: null,
  ratePerSecond: 50,
  startedAt: exampleTimes.at,
  lookedAt: 1_000,
  enqueued: 120,
  reached: { stream: 'flow-4711', revision: '3' },
  state: 'running',
  progressedAt: exampleTimes.after,
  endedAt: null,
  reason: null,
  startedBy: 'admin:ops',
  endedBy: null,
  percent: 25,
  secondsLeft: 6,
} as const;
