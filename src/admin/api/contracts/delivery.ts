import { z } from 'zod';
import { deliveryStates } from '../../../queue/delivery.js';
import { time, timeOrNull } from './fields.js';

export const deliveryStateAnswer = z.enum(deliveryStates).meta({
  id: 'DeliveryState',
  description:
    '`waiting` for its next attempt, `held` while its listener is paused, `succeeded`, `exhausted` (a dead letter: its attempts are ' +
    'used up), or `cancelled`.',
});

export const waitsForAnswer = z
  .enum(['schedule', 'retry-after', 'breaker', 'rate', 'order', 'a worker', 'resume', 'redelivery'])
  .meta({
    id: 'WaitsFor',
    description:
      'The reason why a delivery waits: the time of its retry, the time that the listener asked for, the circuit breaker of the listener, the ' +
      'rate limit of the listener, an earlier delivery of an ordered listener, a worker, the resume of its listener, or its redelivery.',
  });

const delivery = {
  id: z.uuid(),
  webhookId: z
    .string()
    .describe('The header `webhook-id`: the same for one flow event and listener, also if it is sent again.'),
  orgId: z.string(),
  listenerId: z.uuid(),
  replay: z.string().optional().describe('The replay or the test to which it belongs.'),
  eventId: z.string().describe('The ID of the flow event that its producer and its listeners know.'),
  storeEventId: z.string().describe("The flow event's UUID in the event store."),
  eventType: z.string(),
  state: deliveryStateAnswer,
  attempts: z.int().nonnegative().describe('Number of attempts so far.'),
  enqueuedAt: timeOrNull,
  dueAt: timeOrNull,
  waitsFor: waitsForAnswer.nullable(),
  waitsUntil: timeOrNull.describe('Earliest end of the wait; null if the wait does not end at a known time.'),
  lastAttemptAt: timeOrNull,
  lastStatus: z.int().nullable().describe('HTTP status of the last attempt; null without an answer.'),
  lastError: z.string().nullable().describe('The class of failure of the last attempt, such as `connect_timeout`.'),
};

export const deliveryAnswer = z
  .strictObject(delivery)
  .meta({ id: 'Delivery', description: 'A flow event on its way to one listener.' });

export const attemptAnswer = z
  .strictObject({
    startedAt: timeOrNull,
    durationMs: z.number().nonnegative(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    answer: z.string().nullable().describe("The first bytes of the answer's body, as text."),
    headers: z
      .string()
      .nullable()
      .describe(
        'Headers of the answer to a failed attempt, a retry or a test, a line each: the first KiB, without secrets and the hook URL.',
      ),
    address: z.string().nullable().describe('The network address that the request was sent to.'),
  })
  .meta({ id: 'Attempt', description: 'One request to a listener.' });

export const lastFailure = z
  .strictObject({
    at: time,
    status: z.int().nullable(),
    error: z.string().nullable(),
    answer: z.string().nullable().describe("The beginning of the answer's body."),
  })
  .meta({ id: 'LastFailure', description: 'The latest failed attempt of a listener since its last success.' });

export const deliveryWithLogAnswer = z
  .strictObject({ ...delivery, log: z.array(attemptAnswer).describe('The latest 100 attempts, in their order.') })
  .meta({ id: 'DeliveryWithAttempts' });

export const deliveryCountsAnswer = z
  .strictObject({
    waiting: z.int(),
    held: z.int(),
    succeeded: z.int(),
    exhausted: z.int(),
    cancelled: z.int(),
    setAside: z.int().describe('Number of events that could not be decoded.'),
    oldestDueAt: timeOrNull.describe('Time at which the longest waiting of the due deliveries became due.'),
    fanOutPosition: z
      .string()
      .nullable()
      .describe('The fan-out has handled all events up to this position; null: none.'),
    fanOutPartitions: z.int(),
  })
  .meta({ id: 'DeliveryCounts' });

export const redeliveredAnswer = z
  .strictObject({
    redelivered: z.int().nonnegative(),
    leftOut: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Deliveries that were selected, and whose listeners are paused or removed, or which have changed meanwhile.',
      ),
    next: z.string().nullable().describe('The `after` of the next request; null: all have been redelivered.'),
  })
  .meta({ id: 'Redelivered' });

const attemptStats = {
  attempts: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  exhausted: z.int().describe('Deliveries whose attempts were used up.'),
  durationMs: z.int().nullable().describe('Average duration of an attempt; null without attempts.'),
};

export const deliveryStatsAnswer = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    total: z.strictObject(attemptStats),
    listeners: z.array(z.strictObject({ listenerId: z.uuid(), ...attemptStats })),
    days: z.array(z.strictObject({ day: z.iso.date(), ...attemptStats })),
    halfHours: z
      .array(z.strictObject({ at: time, succeeded: z.int(), failed: z.int(), exhausted: attemptStats.exhausted }))
      .describe(
        'Half hours of the last 24 hours, without those in which nothing was sent; empty without `listenerId`.',
      ),
  })
  .meta({ id: 'DeliveryStats', description: 'Results of attempts by listener, and by day (UTC).' });
