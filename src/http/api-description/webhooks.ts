import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Tag } from './texts.js';

/** A request that the service makes to hook URLs and to callbacks of agents. */
export type Webhook = {
  /** Name in the description: the type of the event. */
  name: string;
  /** Name of the method that handles it, such as `receiveFlowEvent`. */
  operationId: string;
  summary: string;
  description: string;
  /** Undefined: a DELETE without a body. */
  body?: { schema: z.ZodType; example: unknown };
  /** Subscription of an agent's host (MCP Events), which a header names. */
  ofAgent?: true;
  /** Meanings of the receiver's answers, by status. */
  answers: ZodOpenApiResponsesObject;
};

const header = (id: string, schema: z.ZodString, description: string, example: string) =>
  schema.meta({ description, example, param: { id } });

/** https://www.standardwebhooks.com */
const signed = z.object({
  'webhook-id': header(
    'webhookId',
    z.string(),
    'Names the delivery: the same for all attempts, and for redeliveries and replays to the same listener.',
    '6a1c0e2e-4f0b-5d7e-9c55-0f6f1f0f8a11',
  ),
  'webhook-timestamp': header(
    'webhookTimestamp',
    z.string().regex(/^\d+$/),
    'The time of the attempt, in seconds since 1970.',
    '1769860800',
  ),
  'webhook-signature': header(
    'webhookSignature',
    z.string(),
    'Signatures of `webhook-id.webhook-timestamp.body`, separated by spaces: `v1,` and an HMAC-SHA256 in base64 by the `signingSecret`; `v1a,` and an ' +
      'Ed25519 signature for listeners with `signedWithKeyPair`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
});

const signedToAgent = signed.extend({
  'x-mcp-subscription-id': header(
    'subscriptionId',
    z.string(),
    'The `id` in the answer to `events/subscribe`.',
    'sub_0c9b6b528f0e4a7d9a591d1d3f6f3a11',
  ),
});

const tag: Tag = 'Receivers: deliveries';

function operationOf({
  operationId,
  summary,
  description,
  body,
  ofAgent,
  answers,
}: Webhook): ZodOpenApiOperationObject {
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [],
    ...(body && {
      requestParams: { header: ofAgent ? signedToAgent : signed },
      requestBody: {
        required: true,
        content: {
          'application/json': body,
        },
      },
    }),
    responses: answers,
  };
}

/** `webhooks` of OpenAPI 3.1, and the tags of their operations. */
export const webhooksOf = (webhooks: readonly Webhook[]): { paths: ZodOpenApiPathsObject; tags: readonly Tag[] } => ({
  paths: Object.fromEntries(
    webhooks.map((webhook) => [webhook.name, { [webhook.body ? 'post' : 'delete']: operationOf(webhook) }]),
  ),
  tags: webhooks.length > 0 ? [tag] : [],
});
