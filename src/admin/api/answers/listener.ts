import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { attemptAnswer, attemptExample, deliveryStateAnswer } from './delivery.js';
import { changed, exampleIds, exampleTimes, time, timeOrNull } from './values.js';

const listener = {
  listenerId: z.uuid(),
  orgId: z.string(),
  userId: z.string().describe('The user who registered it first.'),
  hookUrl: z.string().describe('A capability: it must not appear in logs.'),
  subscriptionType: z.string(),
  filter: z.record(z.string(), jsonValue).nullable().describe('Which of these flow events; null: all.'),
  transform: z.string().nullable().describe('The JSONata expression that makes the body; null: the event as it is.'),
  ordered: z.boolean().describe('One delivery at a time, in the order of the flow events.'),
  ratePerSecond: z.number().nullable().describe('Null: the limit of the service for each listener.'),
  secretVersion: z.int().positive().describe('The number of its signing secret.'),
  previousSecretUntil: timeOrNull.describe('Until then, deliveries are also signed with the previous secret.'),
  failing: z
    .strictObject({
      since: time,
      failures: z.int().nonnegative(),
      percent: z.int().min(0).max(100).describe('Share of the limit at which the listener is paused.'),
    })
    .nullable()
    .describe('Since when all attempts fail, as last recorded; null: not recorded.'),
};

export const listenerAnswer = z
  .strictObject({
    ...listener,
    state: z.enum(['active', 'paused']),
    pausedBy: z.enum(['operator', 'failing']).nullable(),
    since: time.describe('Since when the listener has been as it is.'),
  })
  .meta({ id: 'Listener', description: 'The current listener.' });

const changedListener = { ...listener, state: z.enum(['active', 'paused', 'unsubscribed']), changed };

export const changedListenerAnswer = z
  .strictObject(changedListener)
  .meta({ id: 'ChangedListener', description: 'The listener after a change.' });

export const resumedListenerAnswer = z
  .strictObject({
    ...changedListener,
    held: z.int().nonnegative().describe('Number of deliveries that are still held.'),
    redelivered: z.int().nonnegative().describe('Number of held deliveries that were made due.'),
    moreMayCome: z.boolean().describe('Whether the fan-out has still to process flow events of the pause.'),
  })
  .meta({ id: 'ResumedListener' });

export const rotatedListenerAnswer = z
  .strictObject({ ...changedListener, signingSecret: z.string().describe('The new signing secret.') })
  .meta({ id: 'ListenerWithSecret' });

export const testDeliveryAnswer = z
  .strictObject({
    deliveryId: z.uuid(),
    eventId: z.uuid(),
    state: deliveryStateAnswer,
    attempt: attemptAnswer.nullable().describe('Null: there was no attempt within some seconds.'),
  })
  .meta({ id: 'TestDelivery', description: 'The result of a sample flow event.' });

export const triedEventAnswer = z
  .strictObject({
    sent: z.boolean(),
    body: jsonValue.describe('What the listener would receive; null if nothing would be sent.'),
    because: z.string().nullable().describe('Why nothing would be sent.'),
  })
  .meta({ id: 'TriedEvent', description: 'What a listener would receive of a flow event.' });

export const triedEventExample = {
  sent: false,
  body: null,
  because: "the listener's filter excludes the event: data.total.$gt 40 failed on 12",
} as const;

const details = {
  listenerId: exampleIds.listenerId,
  orgId: exampleIds.orgId,
  userId: '42',
  hookUrl: 'https://hooks.example.com/catch/7f3a',
  subscriptionType: 'flow.*',
  filter: { 'data.total': { $gt: 40 } },
  transform: null,
  ordered: false,
  ratePerSecond: null,
  secretVersion: 1,
  previousSecretUntil: null,
  failing: null,
} as const;

export const listenerExample = { ...details, state: 'active', pausedBy: null, since: exampleTimes.before } as const;

export const changedListenerExample = { ...details, state: 'paused', changed: ['ListenerPaused'] } as const;

export const testDeliveryExample = {
  deliveryId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  eventId: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  state: 'succeeded',
  attempt: attemptExample,
} as const;
