import { z } from 'zod';
import { printableText } from '../kernel/input/printable-text.js';
import { deliveryOptions } from './organisations/organisation-settings.js';

const hookUrl = z
  .string({ error: 'must be a URL' })
  .describe('An absolute http or https URL, at most 2,048 characters.');

const subscriptionType = printableText(256, 'must be a non-empty string').describe(
  'Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`).',
);

const filter = z
  .unknown()
  .describe(
    "Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, " +
      'also if the listener had a filter before.',
  )
  .meta({ type: ['object', 'null'], example: { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } } })
  .optional();

const transform = z
  .string({ error: 'must be a text' })
  .nullable()
  .optional()
  .describe(
    'A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md.',
  )
  .meta({ example: '{"id": id, "amount": data.amount}' });

/** Other fields are ignored. */
export const subscribeRequest = z.object({ hookUrl, subscriptionType, filter, transform, ...deliveryOptions });

export const subscribeAnswer = z.strictObject({
  id: z.uuid().describe('The same as `listenerId`: platforms look for `id`.'),
  listenerId: z.uuid(),
  signingSecret: z.string().startsWith('whsec_').describe('Deliveries are signed with it (Standard Webhooks).'),
  orgId: z.string(),
  hookUrl: z.url().describe('The stored form: normalised, without a fragment.'),
  subscriptionType: z.string(),
  filter: z.record(z.string(), z.unknown()).nullable(),
  transform: z.string().nullable(),
  ordered: z.boolean(),
  ratePerSecond: z.number().nullable(),
  message: z.string(),
});

export const unsubscribeRequest = z.object({ hookUrl });

export const unsubscribeAnswer = z.strictObject({ success: z.literal(true), message: z.string() });
