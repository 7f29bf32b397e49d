import { z } from 'zod';
import { subscriptionRequest } from '../../../listeners/subscription.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { exampleTimes, orgIdField, position, positionText, time } from './fields.js';

const route = adminRoutesOf('forwardings');

const params = { id: z.uuid().meta({ description: 'The ID of a forwarding.' }) };
const body = { orgId: orgIdField };
const forwardingId = '9b6f1f2e-0d7c-4d0b-9b1e-3a5c2f7d8e11';
const until = time.describe('It ends by itself then, unless its requests are fetched before.');

export const beginForwardingRoute = route('beginForwarding', 'post', '/forwardings', {
  summary: 'Begin to forward flow events to the command line',
  description:
    'For `flow-hooks listen --forward-to`: the flow events that are recorded from now on, as a listener would get them. Nothing is posted; ' +
    'the caller fetches the requests. It is in the history of the organisation.',
  body: { ...body, subscriptionType: subscriptionRequest.subscriptionType },
  bodyExample: { orgId: 'acme', subscriptionType: 'order.*' },
  answer: {
    status: 201,
    schema: z
      .strictObject({
        id: z.uuid(),
        orgId: z.string(),
        subscriptionType: z.string(),
        until,
        signingSecret: z
          .string()
          .describe('The same for an organisation and a caller, until the master key is rotated.'),
        next: positionText.describe('The `after` of the first fetch.'),
      })
      .meta({ id: 'Forwarding' }),
    example: {
      id: forwardingId,
      orgId: 'acme',
      subscriptionType: 'order.*',
      until: exampleTimes.after,
      signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      next: '4711',
    },
  },
  access: { role: 'operator', organisation: 'body' },
});

export const fetchForwardedRoute = route('fetchForwarded', 'post', '/forwardings/:id/next', {
  summary: 'Fetch the next requests of a forwarding',
  description:
    'Waits for the first. The same `after` gives the same flow events again, at any instance, with new signatures. ' +
    'It extends the forwarding.',
  params,
  body: { ...body, after: position, waitSeconds: z.int().min(0).max(10).default(10) },
  bodyExample: { orgId: 'acme', after: '4711', waitSeconds: 0 },
  answer: {
    schema: z
      .strictObject({
        until,
        items: z.array(
          z.strictObject({
            position: positionText.describe('The `after` of a fetch, once this one has been sent.'),
            eventId: z.string(),
            eventType: z.string(),
            headers: z.record(z.string(), z.string()),
            body: z.string().describe('To be sent byte for byte: it is signed.'),
          }),
        ),
        next: positionText.describe('The `after` of the next fetch, once all of these have been sent.'),
      })
      .meta({ id: 'ForwardedRequests' }),
    example: {
      until: exampleTimes.after,
      items: [
        {
          position: '4712',
          eventId: 'order-4711',
          eventType: 'order.paid',
          headers: {
            'content-type': 'application/json',
            'webhook-id': 'f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b',
            'webhook-timestamp': '1769860800',
            'webhook-signature': 'v1,kYvZxqg8Pq0WcCrYPbM5nH0Xw1r2G7u0m3c1hB2vJ9Q=',
          },
          body: '{"id":"order-4711","type":"order.paid","data":{"total":42}}',
        },
      ],
      next: '4712',
    },
  },
  errors: ['forwarding_over', 'too_many_requests'],
  access: { role: 'operator', organisation: 'body' },
});

export const endForwardingRoute = route('endForwarding', 'post', '/forwardings/:id/end', {
  summary: 'End a forwarding',
  description: 'A repeat changes nothing.',
  params,
  body,
  bodyExample: { orgId: 'acme' },
  answer: { schema: z.strictObject({ id: z.uuid() }).meta({ id: 'EndedForwarding' }), example: { id: forwardingId } },
  access: { role: 'operator', organisation: 'body' },
});

export const forwardingContracts = [beginForwardingRoute, fetchForwardedRoute, endForwardingRoute];
