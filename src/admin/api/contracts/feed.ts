import { z } from 'zod';
import { payload } from '../../../flows/contract.js';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { subscriptionRequest } from '../../../listeners/subscription.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { exampleIds, limitParameter, orgIdField, positionText, time } from './fields.js';

const maxWaitSeconds = 30;
const aWait = { error: `must be a whole number of seconds from 0 to ${maxWaitSeconds}` };

const cursor = z.string().describe('The `after` of a request for the events that follow.');
const exampleCursor = 'ZzEuNDcxMi40NzExLmtZdlp4cWc4UHEwV2NDcllQYk01bkg';

const feedEvent = z
  .strictObject({
    kind: z.literal('event'),
    cursor,
    position: positionText,
    storeEventId: z.string().describe("The flow event's UUID in the event store."),
    recordedAt: z.string(),
    event: payload.describe('As listeners receive it, digit for digit.'),
  })
  .meta({ id: 'FeedEvent', description: 'A flow event.' });

const gap = {
  reason: z
    .enum(['deleted', 'retention', 'erasure'])
    .describe(
      '`deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because ' +
        'of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased.',
    ),
  upTo: positionText.describe('The last position that the gap is about.'),
  events: z.int().nullable().describe('Number of missing events; null: unknown.'),
};

const feedGap = z
  .strictObject({ kind: z.literal('gap'), cursor, ...gap })
  .meta({ id: 'FeedGap', description: 'Flow events that are missing here.' });

const feedAnswer = z
  .strictObject({
    items: z.array(
      z.discriminatedUnion('kind', [feedEvent, feedGap]).meta({ id: 'FeedItem', description: 'In order of position.' }),
    ),
    next: cursor.describe('The `after` of the next request, also of one that waits for new events.'),
    more: z.boolean().describe('True: the next page can be requested at once, without `wait`.'),
  })
  .meta({ id: 'FeedPage' });

export const readFeedRoute = adminRoutesOf('feed')('readEvents', 'get', '/api/events', {
  summary: 'Read the flow events of an organisation in order',
  description:
    'Each event once, in the order of recording, from any position; the service keeps no state for a reader. A page may have ' +
    'fewer items than `limit`, or none. Where events were deleted or erased, an item says so. A cursor is for one organisation, and is valid as long ' +
    'as the master key that made it. An event that is published again with the same `id` in another flow can come twice.',
  query: {
    orgId: orgIdField,
    after: z.string().max(256).optional().meta({
      description: 'A cursor; `end`: only events from now on. Without it, from the first event that is kept.',
    }),
    type: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('As a subscription type selects it: a type, or a prefix such as `order.*`. Without it, all.'),
    filter: z
      .string()
      .max(8_192)
      .optional()
      .meta({ description: 'A filter as a subscription has it, as JSON.', examples: ['{"data.total":{"$gt":100}}'] }),
    limit: limitParameter,
    wait: z
      .string(aWait)
      .regex(/^\d{1,2}$/, aWait)
      .transform(Number)
      .pipe(z.int(aWait).max(maxWaitSeconds, aWait))
      .default(0)
      .meta({ description: 'Seconds for which the request waits if there is no item; 0 to 30.' }),
  },
  answer: {
    schema: feedAnswer,
    example: { items: [{ cursor: exampleCursor, event: { id: exampleIds.eventId } }], next: exampleCursor },
  },
  errors: ['too_many_requests'],
  access: { role: 'viewer', scope: 'flows:read', tokenScope: 'listeners', organisation: 'query', waits: true },
});

const maxDays = 3_650;
const aNumberOfDays = { error: `must be a whole number from 1 to ${maxDays}` };
const aNumberOfExamples = { error: 'must be a whole number from 0 to 10' };
const count = z.int().nonnegative();

const triedExample = z
  .strictObject({
    outcome: z.enum(['sent', 'dropped', 'failed']),
    eventId: z.string(),
    type: z.string(),
    recordedAt: z.string(),
    position: positionText,
    body: jsonValue.describe('The body that would be sent; null otherwise.'),
    because: z.string().nullable().describe('The reason of `dropped` and `failed`.'),
  })
  .meta({ id: 'TriedExample' });

const triedSubscriptionAnswer = z
  .strictObject({
    from: time.describe('The beginning of the period.'),
    upTo: z.string().nullable().describe('The time of recording of the last event that is counted; null: none is.'),
    sent: count.describe('Number of events that would be sent.'),
    dropped: count.describe('Number of events of the subscription type that the filter excludes.'),
    failed: count.describe('Number of events whose transformation fails: each would be a dead letter.'),
    examples: z.array(triedExample).describe('The first of each outcome, in order of position.'),
    gaps: z
      .array(z.strictObject(gap).meta({ id: 'TriedGap' }))
      .describe(
        'Events that are missing, and not counted. `retention` and `erasure` may concern the time before the period.',
      ),
    stoppedBy: z
      .enum(['end', 'events', 'bytes', 'time', 'busy'])
      .describe(
        '`end`: all events of the period are counted. `events`, `bytes`, `time`: the page is full. `busy`: expressions cannot be evaluated now.',
      ),
    next: cursor.nullable().describe('The `after` of the next request, whose counts are to be added; null: the end.'),
  })
  .meta({ id: 'TriedSubscription', description: 'The outcomes of past flow events.' });

export const trySubscriptionRoute = adminRoutesOf('listeners')('trySubscription', 'post', '/listeners/try', {
  summary: 'Try a filter and a transformation on past flow events',
  description:
    'Applies a subscription to the flow events of the last `days`, as if it had been registered all that time. Nothing is sent or ' +
    'recorded. A page has at most 5,000 events, 16 MiB of them, and a second of work: `next` continues.',
  body: {
    orgId: orgIdField,
    subscriptionType: subscriptionRequest.subscriptionType.default('*'),
    filter: subscriptionRequest.filter,
    transform: subscriptionRequest.transform,
    days: z
      .int(aNumberOfDays)
      .min(1, aNumberOfDays)
      .max(maxDays, aNumberOfDays)
      .default(7)
      .describe('Age of the oldest flow events, in days.'),
    examples: z
      .int(aNumberOfExamples)
      .min(0, aNumberOfExamples)
      .max(10, aNumberOfExamples)
      .default(3)
      .describe('Maximum number of examples of each outcome.'),
    after: z.string().max(256).optional().describe('The `next` of the previous page.'),
  },
  bodyExample: { orgId: exampleIds.orgId, subscriptionType: 'flow.*', filter: { 'data.total': { $gt: 40 } }, days: 7 },
  answer: {
    schema: triedSubscriptionAnswer,
    example: {
      sent: 310,
      dropped: 4_690,
      examples: [{ outcome: 'dropped', body: null, because: 'data.total.$gt 40 failed on 12' }],
      gaps: [],
    },
  },
  errors: ['store_unavailable'],
  access: { role: 'viewer', scope: 'flows:read', organisation: 'body' },
});

export const feedContracts = [readFeedRoute, trySubscriptionRoute];
