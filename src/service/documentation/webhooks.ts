import { z } from 'zod';
import { operationalTypes, operationsOrganisation } from '../../events/operational-events.js';
import { payload } from '../../flows/contract.js';
import type { Webhook } from '../../http/api-description/webhooks.js';

/** `listener.failing` as `ListenerFailing`. */
const nameOf = (type: string): string => type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

const signedAndRepeated =
  'Signed according to [Standard Webhooks](https://www.standardwebhooks.com), at least once: a repeat has the same `webhook-id`.';

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
  };
});

/** The requests that hook URLs get. */
export const webhooks: readonly Webhook[] = [
  {
    name: 'flow.event',
    operationId: 'receiveFlowEvent',
    summary: 'Receive a flow event',
    description:
      `A flow event of the organisation that the subscription of the listener selects. ${signedAndRepeated} \`type\` and the form of \`data\` are those of the ` +
      'producer: declared event types have schemas. The body of a listener with a transformation is its result: any JSON.',
    body: { schema: payload.meta({ id: 'ReceivedFlowEvent' }), example: { ...example, data: { total: 42 } } },
  },
  ...operational,
  {
    name: 'removal',
    operationId: 'receiveRemoval',
    summary: 'Be notified of the removal of a listener',
    description:
      'An operator has removed the listener at this URL, or erased its organisation. Sent if the service is set up so (`NOTIFY_REMOVED`), unsigned and without a body.',
  },
];
