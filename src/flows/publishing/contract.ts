import { z } from 'zod';
import type { Route } from '../../http/route-contract.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { batchAnswer, publishedAnswer, publishRequest } from '../contract.js';
import { cloudEvent } from './cloud-event.js';
import { batchPath, cloudEventListType, lineTypes, publishPath, structuredType } from './media-types.js';
import { maxBatchEvents } from './sent-events.js';

const orgid = opaqueId
  .optional()
  .describe('The organisation. Not needed if the credentials are for one, or the body names it.');

const event = { orgId: 'acme', type: 'flow.completed', id: 'order-4711', data: { total: 42 } };
const eventOfOrganisation = { type: 'flow.completed', id: 'order-4711', data: { total: 42 } };
const cloudEventExample = {
  specversion: '1.0',
  id: 'order-4711',
  source: '/shops/7',
  type: 'com.example.order.paid',
  time: '2026-01-02T03:04:05Z',
  data: { total: 42 },
};
const newEvent = publishRequest.meta({ id: 'EventToPublish' });
const described = cloudEvent.catchall(z.unknown()).meta({ id: 'CloudEvent' });
const cloudEventList = {
  types: [cloudEventListType],
  schema: z.array(described).max(maxBatchEvents),
  example: [cloudEventExample],
};

const accepted = 'The flow event is stored, and is delivered.';
const batchAccepted = 'The accepted flow events are stored, and are delivered.';
const batchExample = {
  accepted: 1,
  rejected: 1,
  results: [
    { status: 'accepted', id: 'order-4711' },
    { status: 'rejected', id: 'order-4712', error: 'invalid_request', message: 'type: is missing' },
  ],
};

const common = {
  method: 'post',
  tag: 'Producers: flow events',
  credentials: { apiKey: ['flows:publish'], accessToken: ['flows:publish'], adminKey: ['operator'] },
  headers: z.object({ orgid, userid: opaqueId.optional().describe('The user, for the history.') }),
  errors: ['key_set_unavailable', 'event_type_mismatch'],
} as const;

export const publishRoute: Route = {
  ...common,
  name: 'publishFlowEvent',
  path: publishPath,
  summary: 'Publish a flow event',
  description:
    'Every listener of the organisation whose `subscriptionType` selects the type receives it. Publishing again with the same `id` has no ' +
    'effect, so a request whose answer was lost can be repeated. The event may have at most `MAX_EVENT_BYTES`.\n\n' +
    'CloudEvents 1.0 are accepted in structured mode, in binary mode (`ce-` headers beside any JSON or text), and as a batch, which is ' +
    `answered as \`POST ${batchPath}\` answers.`,
  body: newEvent,
  bodyExample: event,
  bodyAlternatives: [{ types: [structuredType], schema: described, example: cloudEventExample }, cloudEventList],
  answer: {
    status: 202,
    description: `${accepted} A batch: the result of each event.`,
    schema: publishedAnswer,
    example: { id: 'order-4711' },
    headers: {
      'Flow-Hooks-Warning':
        'The difference between the data and the declared event type, if the organisation warns of it.',
    },
  },
};

export const publishBatchRoute: Route = {
  ...common,
  name: 'publishFlowEvents',
  path: batchPath,
  summary: 'Publish many flow events',
  description:
    `At most ${maxBatchEvents} events, and 4 MiB. The answer has a result for each event, in order; invalid events are rejected one by one. ` +
    `Newline-delimited JSON, an event in each line, is accepted too (${lineTypes.join(', ')}); results then have the number of their line. ` +
    'After an error answer, some of the events may be stored: repeat the whole batch, with the same ids.',
  body: z.array(newEvent).max(maxBatchEvents),
  bodyExample: [eventOfOrganisation],
  bodyAlternatives: [cloudEventList],
  answer: { status: 202, description: batchAccepted, schema: batchAnswer, example: batchExample },
};
