import { z } from 'zod';

/** Has the operational events of all organisations, for operators. No caller is a member of it. */
export const operationsOrganisation = 'flow-hooks.operations';

const listener = {
  orgId: z.string(),
  listenerId: z.uuid(),
  hookUrl: z.string().describe('The URL without path and query, which are a secret.'),
};
const listenerExample = {
  orgId: 'acme',
  listenerId: '0198c5a4-7d1e-7c3a-9b1f-2f6a8c0d4e12',
  hookUrl: 'https://hooks.example.com/…',
};
const counts = { streams: z.int(), flowStreams: z.int() };

/** The types that operators receive, and customers for their own listeners: the data of each, with an example. */
export const operationalTypes = {
  'listener.failing': {
    description: 'All attempts of a listener fail; it is paused at 100 percent.',
    schema: z.strictObject({ ...listener, since: z.string(), failures: z.int(), percent: z.int() }),
    example: { ...listenerExample, since: '2026-01-30T08:00:00.000Z', failures: 12, percent: 50 },
  },
  'listener.paused': {
    description: 'An operator, its customer or its failures paused a listener.',
    schema: z.strictObject({ ...listener, reason: z.enum(['operator', 'customer', 'failing']) }),
    example: { ...listenerExample, reason: 'failing' },
  },
  'listener.resumed': {
    description: 'A paused listener gets deliveries again.',
    schema: z.strictObject(listener),
    example: listenerExample,
  },
  'listener.removed': {
    description: 'A listener answered 410, or an operator or its customer removed it.',
    schema: z.strictObject({ ...listener, reason: z.enum(['gone', 'operator', 'customer']) }),
    example: { ...listenerExample, reason: 'gone' },
  },
  'delivery.exhausted': {
    description: 'Deliveries to a listener used up their attempts: one event for each minute, with their number.',
    schema: z.strictObject({ ...listener, minute: z.string(), count: z.int() }),
    example: { ...listenerExample, minute: '2026-01-31T08:05:00.000Z', count: 3 },
  },
  'secret.rotated': {
    description: 'A listener has a new signing secret.',
    schema: z.strictObject({ ...listener, secretVersion: z.int(), previousSecretUntil: z.string().nullable() }),
    example: { ...listenerExample, secretVersion: 2, previousSecretUntil: '2026-02-01T08:00:00.000Z' },
  },
  'organisation.erased': {
    description: 'An organisation was erased, under the pseudonym that the record of erasures has.',
    schema: z.strictObject({ organisation: z.uuid(), ...counts }),
    example: { organisation: '6f1c2f0e-6c0e-5f6a-8f0d-0d9c3b0a7e55', streams: 6, flowStreams: 5 },
  },
  'replay.finished': {
    description: 'A replay was completed or cancelled.',
    schema: z.strictObject({
      orgId: z.string(),
      listenerId: z.uuid(),
      replayId: z.uuid(),
      outcome: z.enum(['completed', 'cancelled']),
      enqueued: z.int(),
    }),
    example: {
      orgId: 'acme',
      listenerId: listenerExample.listenerId,
      replayId: '7b4a6f0e-3c1f-4d5e-8a55-0c8e0c9f5b11',
      outcome: 'completed',
      enqueued: 1_200,
    },
  },
  'view.damaged': {
    description: 'A damaged view was set aside, and is built again.',
    schema: z.strictObject({ view: z.string(), setAsideAs: z.string() }),
    example: { view: 'listeners', setAsideAs: 'listeners-v1-3.damaged' },
  },
} as const;

export type OperationalType = keyof typeof operationalTypes;
