import { z } from 'zod';
import { jsonValue } from '../kernel/input/json-value.js';
import { opaqueId } from '../kernel/input/texts.js';

/** Far below the depth that overflows a JSON serialiser's stack. */
export const maxNesting = 100;

/** Depth of a number: 0, of `[1]`: 1, of `{"a": [1]}`: 2. */
export const isNestedWithin = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true;
  return levels > 0 && Object.values(value).every((part) => isNestedWithin(levels - 1, part));
};

/** ISO 8601 with offset: `2026-01-31T13:00:00.5+01:00`. */
export const timestamp = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date and time with its offset', abort: true })
  .refine((text) => /^\d/.test(new Date(text).toISOString()), { error: 'must be within the years 0 to 9999 in UTC' });

export const publishRequest = z.object({
  orgId: opaqueId.optional().describe('Optional if the credentials contain the organisation.'),
  // `*` is for subscriptions; `$` marks the stores' own events.
  type: z
    .string({ error: 'must be a string' })
    .regex(/^[A-Za-z0-9._:/-]{1,128}$/, { error: 'must be 1 to 128 letters, digits or . _ : / -' }),
  data: z
    .unknown()
    .refine((data) => data !== undefined, { error: 'is required: any JSON', abort: true })
    .refine((data) => isNestedWithin(maxNesting, data), {
      error: `must be nested at most ${maxNesting} levels deep`,
    }),
  id: opaqueId.optional().describe('Publishing again with the same id has no effect: the first event is kept.'),
  flowId: opaqueId.optional().describe('The flow that the event belongs to; without it the event is a new flow.'),
  occurredAt: timestamp.optional(),
});

export const publishAnswer = z.strictObject({ id: z.string() }).meta({ id: 'PublishedEvent' });

const acceptedEvent = z.strictObject({
  status: z.literal('accepted').describe('It is recorded, now or earlier under the same id.'),
  id: z.string(),
  line: z.int().optional(),
  warning: z.string().optional().describe('The difference between the data and the declared event type.'),
});

const rejectedEvent = z.strictObject({
  status: z.literal('rejected').describe('It is not recorded. Send it again only after a correction.'),
  id: z.string().optional().describe('As it was sent, if there is one.'),
  line: z.int().optional().describe('Of newline-delimited JSON, from 1.'),
  error: z.string().describe('A stable code, as that of an error answer to a single event.'),
  message: z.string(),
});

export const publishedResult = z.discriminatedUnion('status', [
  acceptedEvent.meta({ id: 'AcceptedEvent' }),
  rejectedEvent.meta({ id: 'RejectedEvent' }),
]);

export const batchAnswer = z
  .strictObject({
    accepted: z.int(),
    rejected: z.int(),
    results: z.array(publishedResult),
  })
  .meta({ id: 'PublishedBatch' });

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
  z.strictObject({
    id: z.string().describe('The value for `subscriptionType`.'),
    name: z.string(),
    description: z.string(),
  }),
);
