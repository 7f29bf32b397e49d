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

/**
 * Reads a time as RFC 3339 §5.6 permits: letters in lower case, and a leap second, which becomes the second before it, as few programs read
 * it.
 */
function canonicalTime(sent: string): string {
  const text = sent.replace(/(?<=\d)[tz]/g, (letter) => letter.toUpperCase());
  const before = text.replace(/:60(?=(\.\d+)?(Z|[+-]\d\d:\d\d)$)/, ':59');
  const isLeapSecond = before !== text && /T23:59:59/.test(new Date(before.replace(/\.\d+/, '')).toJSON() ?? '');
  return isLeapSecond ? before : text;
}

const isoTime = z.iso.datetime({ offset: true });
const noTime = 'must be an ISO 8601 date and time with its offset';

const time = z
  .string({ error: ({ input }) => (input === undefined ? undefined : noTime) })
  .overwrite(canonicalTime)
  .refine((text) => isoTime.safeParse(text).success, { error: noTime, abort: true })
  .refine((text) => /^\d/.test(new Date(text).toISOString()), { error: 'must be within the years 0 to 9999 in UTC' });

/** The part of the rule that regular expressions of every language can say. */
const described = (fraction: string) => ({
  format: 'date-time',
  pattern: `^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d${fraction})?([Zz]|[+-]\\d{2}:\\d{2})$`,
});

/** ISO 8601 with offset: `2026-01-31T13:00:00.5+01:00`. */
export const timestamp = time.meta(described('+'));

/** Receivers in other languages read no more digits, and no earlier times. */
export const occurrence = time
  .refine((text) => !/\.\d{10}/.test(text), { error: 'must have at most 9 digits after the second' })
  .refine((text) => Date.parse(text) >= 0, { error: 'must be in 1970 or later' })
  .meta(described('{1,9}'));

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value)
    ? value.every(isWellFormed)
    : Object.entries(value).every(([name, part]) => name.isWellFormed() && isWellFormed(part));
};

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
