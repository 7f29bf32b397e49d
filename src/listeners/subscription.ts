import { z } from 'zod';
import type { ListenerEvent, Subscription } from '../events/listener-events.js';
import { printableText, textForPeople } from '../kernel/input/texts.js';
import type { JsonObject } from '../stores/event-store/event-store.js';
import type { RequestedSubscription } from './changed-subscription.js';
import { filterObject, filterText } from './filters/filter.js';
import { transformText } from './transforms/transform-text.js';

const rateError = { error: 'must be a number from 0.001 to 10000' };

export type SubscriptionField = {
  label: string;
  /** The heading of its column in tables; undefined: it has none. */
  heading?: string;
  /** Schema in a request of a platform. An absent field is undefined. */
  request: z.ZodType;
  /** Schema in an answer. */
  answer: z.ZodType;
  example: unknown;
  /** A value of an answer, but null. */
  text: (value: never) => string;
  /** Text for null. */
  none?: string;
  /** An expression, which pages show to be copied. */
  isExpression?: true;
};

/** The fields of a subscription, in the order in which they are shown. All requests, answers, tables and pages are made of them. */
export const subscriptionFields = {
  subscriptionType: {
    label: 'Subscription type',
    heading: 'type',
    request: printableText(256, 'must be a non-empty string').describe(
      'Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`).',
    ),
    answer: z.string(),
    example: 'flow.*',
    text: (type: string) => type,
  },
  filter: {
    label: 'Filter',
    heading: 'filter',
    request: z
      .unknown()
      .describe(
        "Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, " +
          'also if the listener had a filter before.',
      )
      .meta({
        type: ['object', 'null'],
        example: { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } },
      })
      .optional(),
    answer: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Selects among the flow events of the type; null: all.'),
    example: { 'data.total': { $gt: 40 } },
    text: (filter: JsonObject) => JSON.stringify(filter),
    none: 'None: all events of the subscription type',
    isExpression: true,
  },
  transform: {
    label: 'Transformation',
    request: z
      .string({ error: 'must be a text' })
      .nullable()
      .optional()
      .describe(
        'A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md.',
      )
      .meta({ example: '{"id": id, "amount": data.amount}' }),
    answer: z.string().nullable().describe('The JSONata expression that makes the body; null: the event as it is.'),
    example: null,
    text: (expression: string) => expression,
    none: 'None: each event as it is',
    isExpression: true,
  },
  ordered: {
    label: 'Order',
    request: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe('One delivery at a time, in the order of the flow events.'),
    answer: z.boolean().describe('One delivery at a time, in the order of the flow events.'),
    example: false,
    text: (ordered: boolean) => (ordered ? 'One at a time, in order' : 'Several at a time'),
  },
  ratePerSecond: {
    label: 'Rate',
    request: z
      .number(rateError)
      .min(0.001, rateError)
      .max(10_000, rateError)
      .nullable()
      .optional()
      .describe('Maximum deliveries per second; null: the service-wide limit for each listener.'),
    answer: z.number().nullable().describe('Null: the limit of the service for each listener.'),
    example: null,
    text: (rate: number) => `At most ${rate} a second`,
    none: 'None: the limit of the service for each listener',
  },
  description: {
    label: 'Description',
    heading: 'description',
    request: textForPeople(256)
      .nullable()
      .optional()
      .describe('Free text of who registers the listener, for people; without it, it stays as it is; null: none.'),
    answer: z.string().nullable().describe('Free text of who registered the listener.'),
    example: 'Orders to the warehouse',
    text: (description: string) => description,
  },
  signedWithKeyPair: {
    label: 'Signatures',
    request: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe('Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret.'),
    answer: z.boolean().describe('Deliveries have a second signature (`v1a`), which the public key verifies.'),
    example: false,
    text: (signedWithKeyPair: boolean) =>
      signedWithKeyPair ? 'By the secret and by the key pair (v1, v1a)' : 'By the secret (v1)',
  },
} as const satisfies Readonly<Record<keyof Subscription, SubscriptionField>>;

type Fields = typeof subscriptionFields;

const each = <Part extends 'request' | 'answer' | 'example'>(part: Part) =>
  Object.fromEntries(Object.entries(subscriptionFields).map(([name, field]) => [name, field[part]])) as {
    readonly [Name in keyof Fields]: Fields[Name][Part];
  };

/** Shapes of a request and of an answer, which have the fields beside others, and the example of an answer. */
export const subscriptionRequest = each('request');
export const subscriptionAnswer = each('answer');
export const subscriptionExample = each('example');

/** Order and rate: see `DeliveryOptions`. */
export const deliveryOptionsRequest = {
  ordered: subscriptionRequest.ordered,
  ratePerSecond: subscriptionRequest.ratePerSecond,
};
export const deliveryOptionsAnswer = {
  ordered: subscriptionAnswer.ordered,
  ratePerSecond: subscriptionAnswer.ratePerSecond,
};

/** The subscription in a valid request. Throws `InvalidRequest`, which names the place of filter or transformation that is not valid. */
export async function requestedSubscription({
  filter,
  transform,
  ...others
}: z.output<z.ZodObject<typeof subscriptionRequest>>): Promise<RequestedSubscription> {
  return { ...others, filter: filterText(filter), transform: await transformText(transform) };
}

/** The fields of a subscription in an answer. */
export const subscriptionFacts = (subscription: Subscription) => ({
  ...subscription,
  filter: filterObject(subscription.filter),
});

/** The subscription that a subscribe replaced, as answers have it; null: none. */
export function replacedSubscription(events: readonly ListenerEvent[]): ReturnType<typeof subscriptionFacts> | null {
  const change = events.find((event) => event.type === 'ListenerSubscriptionChanged');
  return change ? subscriptionFacts(change.data.previous) : null;
}
