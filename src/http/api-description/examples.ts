import { z } from 'zod';
import type { AnswerOf } from '../route-contract.js';

const uuid = '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11';
const before = '2026-01-31T11:00:00.000Z';
const at = '2026-01-31T12:00:00.000Z';

/** The example of an answer. */
export const exampleAnswer = <Schema extends z.ZodType>({
  schema,
  example,
}: {
  schema: Schema;
  example?: unknown;
}): AnswerOf<Schema> => exampleOf(schema, example) as AnswerOf<Schema>; // a test parses it

/** Values by the name of a field, of which the first that its schema accepts is shown; also where it may be null. */
const byName: Readonly<Record<string, readonly unknown[]>> = {
  actor: ['admin:ops'],
  address: ['203.0.113.7'],
  answer: ['ok'],
  attempts: [10],
  because: [`the listener answered 200 at ${at}, at attempt 1`],
  build: ['listeners-v2-1'],
  by: ['user:42'],
  clientId: ['platform'],
  createdAt: [before],
  createdBy: ['admin:ops'],
  data: [{ total: 42 }],
  deliveries: [2],
  deliveryId: ['6f0c2f3e-5b1a-5c8d-8a51-7d9a4e1b2c3d'],
  durationMs: [42],
  enqueuedAt: [at],
  eventId: ['order-4711', 'f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b'],
  eventType: ['flow.completed'],
  failed: [1],
  fanOutPosition: ['4712'],
  fanOutPartitions: [1],
  flowId: ['order-4711'],
  from: [before, '2026-01-02'],
  grantedAt: [before],
  handedOver: [true],
  head: ['4712'],
  holder: ['api-1'],
  hookUrl: ['https://hooks.example.com/catch/7f3a'],
  host: ['api-1'],
  id: [uuid],
  issuedAt: [before],
  lastAttemptAt: [at],
  lastStatus: [200],
  lastUsedAt: [at],
  listeners: [12],
  orgId: ['acme'],
  pid: [4711],
  position: ['4711'],
  ratePerSecond: [50],
  recordedAt: [at],
  registeredAt: [before],
  revision: ['0'],
  rotations: [3],
  scopes: [['listeners'], ['flows:publish']],
  signingPublicKey: ['whpk_6kVSg8k6z5cBFuDHQ5TKE1jmpkqRxeiDwSgyKZ6CUpk='],
  signingSecret: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  startedAt: [at],
  startedBy: ['admin:ops'],
  status: [200],
  storeEventId: ['f3b1c6de-0a52-5f0e-9d3c-2b7a8e9f0a1b'],
  stream: ['listener-2d5f0b1e'],
  subscriptionType: ['flow.*'],
  succeeded: [9],
  to: [at],
  type: ['flow.completed'],
  upTo: [at, '4711'],
  userId: ['42'],
  waiting: [3],
};

/** Values of every other field, of which the first is shown that its schema accepts. */
const usual: readonly unknown[] = [false, 0, 1, 'text', at, '2026-01-31', uuid, '0', 'https://hooks.example.com/'];

/**
 * A value that a schema accepts, with the given parts; other fields are the usual ones, without those that may be absent. `name`: of its
 * field. Throws if none is known.
 */
export function exampleOf(schema: z.core.$ZodType, given?: unknown, name = ''): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return exampleOf(schema.unwrap(), given, name);
  if (schema instanceof z.ZodNullable && given) return exampleOf(schema.unwrap(), given, name);
  if (schema instanceof z.ZodObject && isObject(given ?? {}))
    return objectOf(schema.shape, given as Readonly<Record<string, unknown>> | undefined);
  const known = (byName[name] ?? []).find((value) => z.safeParse(schema, value).success);
  if (schema instanceof z.ZodArray && Array.isArray(given ?? []) && known === undefined)
    return itemsOf(schema, given as readonly unknown[] | undefined);
  if (given !== undefined) return schema instanceof z.ZodUnion ? optionOf(schema, given) : given;
  if (known !== undefined) return known;
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0] as z.core.$ZodType);
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  const first = [...(/(At|^at|^since|^timestamp)$/.test(name) ? [at] : []), ...usual].find(
    (value) => z.safeParse(schema, value).success,
  );
  if (first === undefined) throw new Error(`no example of ${name} is known`);
  return first;
}

/** The given value; if it is no choice as it is, completed to the first one. */
const optionOf = (schema: z.ZodUnion, given: unknown): unknown =>
  z.safeParse(schema, given).success ? given : exampleOf(schema.options[0] as z.core.$ZodType, given);

/** Gives one item without given ones if it is an object, else none. */
const itemsOf = ({ element }: z.ZodArray, given: readonly unknown[] | undefined): readonly unknown[] =>
  (given ?? (element instanceof z.ZodObject || element instanceof z.ZodUnion ? [undefined] : [])).map((each) =>
    exampleOf(element, each),
  );

const objectOf = (shape: z.core.$ZodShape, given: Readonly<Record<string, unknown>> = {}) => ({
  ...given,
  ...Object.fromEntries(
    Object.entries(shape)
      .filter(([name, field]) => !(field instanceof z.ZodOptional) || given[name] !== undefined)
      .map(([name, field]) => [name, exampleOf(field, given[name], name)]),
  ),
});

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
