import { z } from 'zod';
import { payload } from '../../../flows/contract.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { exampleIds, exampleTimes, limitParameter, orgIdField, positionText } from './fields.js';

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

const feedGap = z
  .strictObject({
    kind: z.literal('gap'),
    cursor,
    reason: z
      .enum(['deleted', 'retention', 'erasure'])
      .describe(
        '`deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because ' +
          'of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased.',
      ),
    upTo: positionText.describe('The last position that the gap is about.'),
    events: z.int().nullable().describe('Number of missing events; null: unknown.'),
  })
  .meta({ id: 'FeedGap', description: 'Flow events that are missing here.' });

const feedAnswer = z
  .strictObject({
    items: z.array(
      z.discriminatedUnion('kind', [feedEvent, feedGap]).meta({ id: 'FeedItem', description: 'In order of position.' }),
    ),
    next: cursor.describe('The `after` of the next request, also of one that waits for new events.'),
    more: z.boolean().describe('The next page may be fetched at once, without `wait`.'),
  })
  .meta({ id: 'FeedPage' });

export const readFeedRoute = adminRoutesOf('feed')('readEvents', 'get', '/api/events', {
  summary: 'Read the flow events of an organisation in order',
  description:
    'From any place on, each event once, in the order in which they were recorded; nothing is kept in the service for a reader. A page may have ' +
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
    example: {
      items: [
        {
          kind: 'event',
          cursor: exampleCursor,
          position: '4712',
          storeEventId: exampleIds.storeEventId,
          recordedAt: exampleTimes.at,
          event: {
            id: exampleIds.eventId,
            type: 'flow.completed',
            timestamp: exampleTimes.at,
            orgId: exampleIds.orgId,
            flowId: exampleIds.eventId,
            data: { total: 42 },
          },
        },
      ],
      next: exampleCursor,
      more: false,
    },
  },
  errors: ['too_many_requests'],
  access: { role: 'viewer', scope: 'flows:read', tokenScope: 'listeners', organisation: 'query', waits: true },
});

export const feedContracts = [readFeedRoute];
