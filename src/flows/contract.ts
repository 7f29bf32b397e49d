import { z } from 'zod';
import { jsonValue } from '../kernel/input/json-value.js';
import { isNestedWithin, maxNesting } from '../kernel/input/nesting.js';
import { opaqueId } from '../kernel/input/texts.js';
import { occurrence } from '../kernel/input/times.js';
import { eventTypeName } from './types/event-type.js';

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value)
    ? value.every(isWellFormed)
    : Object.entries(value).every(([name, part]) => name.isWellFormed() && isWellFormed(part));
};

export const publishRequest = z.object({
  orgId: opaqueId.optional().describe('Optional if the credentials contain the organisation.'),
  type: eventTypeName,
  data: z
    .unknown()
    .refine((data) => data !== undefined, { error: 'is required: any JSON', abort: true })
    .refine((data) => isNestedWithin(maxNesting, data), {
      error: `must be nested at most ${maxNesting} levels deep`,
      abort: true,
    })
    // RFC 8259 §8.2: readers in other languages fail on it.
    .refine(isWellFormed, { error: 'must hold no lone surrogate such as \\ud800' }),
  id: opaqueId.optional().describe('Publishing again with the same id has no effect: the first event is kept.'),
  flowId: opaqueId.optional().describe('The flow that the event belongs to; without it the event is a new flow.'),
  occurredAt: occurrence.optional(),
});

const differs = z
  .boolean()
  .optional()
  .describe('True: an event with this id was published before with another content, which is kept and delivered.');

export const publishAnswer = z.strictObject({ id: z.string(), differs }).meta({ id: 'PublishedEvent' });

const acceptedEvent = z.strictObject({
  status: z.literal('accepted').describe('It is recorded, now or earlier under the same id.'),
  id: z.string(),
  line: z.int().optional(),
  differs,
  warning: z.string().optional().describe('The difference between the data and the declared event type.'),
});

const rejectedEvent = z.strictObject({
  status: z.literal('rejected').describe('It is not recorded. Send it again only after a correction.'),
  id: z.string().optional().describe('The ID as it was sent, if there is one.'),
  line: z.int().optional().describe('The line in newline-delimited JSON, from 1.'),
  error: z.string().describe('A stable code, as that of an error answer to a single event.'),
  message: z.string(),
});

export const publishedResult = z
  .discriminatedUnion('status', [
    acceptedEvent.meta({ id: 'AcceptedEvent' }),
    rejectedEvent.meta({ id: 'RejectedEvent' }),
  ])
  .meta({ id: 'PublishedResult' });

export const batchAnswer = z
  .strictObject({
    accepted: z.int(),
    rejected: z.int(),
    results: z.array(publishedResult),
  })
  .meta({ id: 'PublishedBatch' });

/** Answer to an event, or for one of a batch. */
export const publishedAnswer = z
  .strictObject({ ...publishAnswer.shape, ...batchAnswer.shape })
  .partial()
  .meta({ id: 'Published' });

export const payload = z.strictObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string().describe('Time at which it occurred, if the producer gave one; else at which it was recorded.'),
  orgId: z.string(),
  flowId: z.string(),
  data: z.unknown(),
});

export const performListAnswer = z.array(payload);

export const sampleAnswer = z.array(
  jsonValue.describe('A flow event as deliveries have it; with `transform`, its result: any JSON.'),
);

export const subscriptionTypesAnswer = z.array(
  z
    .strictObject({
      id: z.string().describe('The value for `subscriptionType`.'),
      name: z.string(),
      description: z.string(),
    })
    .meta({ id: 'SubscriptionType' }),
);
