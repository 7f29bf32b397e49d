import { z } from 'zod';
import { operationalTypes, operationsOrganisation } from '../../events/operational-events.js';
import { payload } from '../../flows/contract.js';
import type { Webhook } from '../../http/api-description/webhooks.js';

/** `listener.failing` as `ListenerFailing`. */
const nameOf = (type: string): string => type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

const signedAndRepeated =
  'Signed according to [Standard Webhooks](https://www.standardwebhooks.com), at least once: a repeat has the same `webhook-id`.';

const ofDelivery = {
  '2XX': { description: 'The delivery has succeeded, whatever the body is.' },
  '410': { description: 'The listener is removed, with its waiting deliveries.' },
  '429': { description: 'The attempt has failed, and the listener gets less: `Retry-After` applies.' },
  default: {
    description:
      'The attempt has failed, and is repeated by the schedule of the service. Redirections are not followed.',
  },
};

const example = {
  id: '6a1c0e2e-4f0b-5d7e-9c55-0f6f1f0f8a11',
  type: 'order.paid',
  timestamp: '2026-01-31T12:00:00.000Z',
  orgId: 'acme',
  flowId: 'order-4711',
};

const operational = Object.entries(operationalTypes).map(([type, { description, schema, example: data }]): Webhook => {
  const name = nameOf(type);
  const body = z
    .strictObject({ ...payload.shape, type: z.literal(type), data: schema.meta({ id: `${name}Data` }) })
    .meta({ id: `Received${name}` });
  return {
    name: type,
    operationId: `receive${name}`,
    summary: `Receive ${type}`,
    description: `${description} An operational event, for listeners that subscribe to its type or to a prefix of it. ${signedAndRepeated}`,
    body: {
      schema: body,
      example: { ...example, type, orgId: operationsOrganisation, flowId: 'organisation:acme', data },
    },
    answers: ofDelivery,
  };
});

const challenge = 'zkVfWwqT1hQ2nYb0m7d5cR8xJ4sL6uPg3eA9oKiNtEU';

/** Requests of the extension Events of MCP, in webhook mode. */
const toAgents: readonly Webhook[] = [
  {
    name: 'agent.event',
    operationId: 'receiveAgentEvent',
    summary: "Receive an event as an agent's host",
    description: `A flow event of a subscription by \`events/subscribe\`. ${signedAndRepeated} The \`webhook-id\` is the \`eventId\`.`,
    ofAgent: true,
    body: {
      schema: z
        .strictObject({
          eventId: z.string(),
          name: z.string().describe('The event type.'),
          timestamp: z.string(),
          data: z.record(z.string(), z.unknown()).describe('Data that is no object is `{"value": …}`.'),
        })
        .meta({ id: 'ReceivedAgentEvent' }),
      example: {
        eventId: example.id,
        name: 'order.paid',
        timestamp: example.timestamp,
        data: { total: 42 },
      },
    },
    answers: {
      '2XX': ofDelivery['2XX'],
      '410': { description: 'This delivery ends; the subscription stays.' },
      '413': { description: 'This delivery ends; the subscription stays.' },
      default: { description: 'The attempt has failed, and is repeated, four times within 15 minutes in all.' },
    },
  },
  {
    name: 'agent.verification',
    operationId: 'verifyAgentCallback',
    summary: "Verify the callback of an agent's host",
    description: 'Before a subscription begins. Signed with the secret of the request. The host has 5 s to answer.',
    ofAgent: true,
    body: {
      schema: z
        .strictObject({ type: z.literal('verification'), challenge: z.string() })
        .meta({ id: 'ReceivedAgentVerification' }),
      example: { type: 'verification', challenge },
    },
    answers: {
      '2XX': {
        description: 'The callback is verified if the challenge is that of the request.',
        content: {
          'application/json': {
            schema: z.object({ challenge: z.string() }).meta({ id: 'AgentChallenge' }),
            example: { challenge },
          },
        },
      },
      default: { description: 'The subscription is refused.' },
    },
  },
  {
    name: 'agent.gap',
    operationId: 'receiveAgentGap',
    summary: "Be notified of events that an agent's host did not get",
    description:
      'After a refresh, if deliveries were given up since the last one. Signed; repeated by a later refresh if it fails.',
    ofAgent: true,
    body: {
      schema: z
        .strictObject({ type: z.literal('gap'), cursor: z.string().describe('The host continues there.') })
        .meta({ id: 'ReceivedAgentGap' }),
      example: { type: 'gap', cursor: 'kR2v1nQ0eXcTzFhUe1yB7w' },
    },
    answers: { default: { description: 'Any answer is logged.' } },
  },
  {
    name: 'agent.terminated',
    operationId: 'receiveAgentTermination',
    summary: "Be notified that an agent's subscription was ended",
    description: 'By its session, an operator, a customer or an erasure. Signed, and sent once.',
    ofAgent: true,
    body: {
      schema: z
        .strictObject({
          type: z.literal('terminated'),
          error: z
            .strictObject({
              code: z.int(),
              message: z.string(),
              data: z.strictObject({ reason: z.string() }).meta({ id: 'AgentTerminationReason' }),
            })
            .meta({ id: 'AgentTermination' }),
        })
        .meta({ id: 'ReceivedAgentTermination' }),
      example: {
        type: 'terminated',
        error: { code: -32_012, message: 'Access revoked', data: { reason: 'Access revoked' } },
      },
    },
    answers: { default: { description: 'Any answer is logged.' } },
  },
];

/** The requests that hook URLs and callbacks of agents get. */
export const webhooks: readonly Webhook[] = [
  {
    name: 'flow.event',
    operationId: 'receiveFlowEvent',
    summary: 'Receive a flow event',
    description:
      `A flow event of the organisation that the subscription of the listener selects. ${signedAndRepeated} \`type\` and the form of \`data\` are those of the ` +
      'producer: declared event types have schemas. The body of a listener with a transformation is its result: any JSON.',
    body: { schema: payload.meta({ id: 'ReceivedFlowEvent' }), example: { ...example, data: { total: 42 } } },
    answers: ofDelivery,
  },
  ...operational,
  {
    name: 'removal',
    operationId: 'receiveRemoval',
    summary: 'Be notified of the removal of a listener',
    description:
      'An operator has removed the listener at this URL, or erased its organisation. Sent if the service is set up so (`NOTIFY_REMOVED`), unsigned and without a body.',
    answers: {
      '2XX': { description: 'The notice has arrived.' },
      '410': { description: 'The same as 2xx.' },
      default: {
        description:
          'After a 429 or a 5xx the notice is repeated twice within seconds; after other statuses it is not.',
      },
    },
  },
  ...toAgents,
];
