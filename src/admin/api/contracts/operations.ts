import { z } from 'zod';
import { operationalTypes, operationsOrganisation } from '../../../events/operational-events.js';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { replacedSubscriptionAnswer, signingPublicKey } from '../../../listeners/contract.js';
import { subscriptionAnswer } from '../../../listeners/subscription.js';
import { operationsRequest } from '../../operations/subscribe-operations.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { listAnswer } from './fields.js';

const operationalType = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    schema: jsonValue.describe('The JSON Schema of `data`.'),
    example: jsonValue,
  })
  .meta({ id: 'OperationalEventType' });

const operationalListener = z
  .strictObject({
    listenerId: z.uuid(),
    orgId: z.string(),
    hookUrl: z.string(),
    ...subscriptionAnswer,
    signingSecret: z.string(),
    signingPublicKey,
    replaced: replacedSubscriptionAnswer,
  })
  .meta({ id: 'OperationalListener' });

const route = adminRoutesOf('operations');

export const operationalTypeList = Object.entries(operationalTypes).map(([name, { description, schema, example }]) => {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema);
  return { name, description, schema: jsonSchema as z.output<typeof jsonValue>, example: { ...example } };
});

export const listOperationalTypesRoute = route('listOperationalTypes', 'get', '/operations/event-types', {
  summary: 'List the types of operational events',
  description:
    'The types of events that the service publishes for its operators, with the schema and an example of the data of each type.',
  answer: listAnswer(operationalType, {
    name: 'listener.resumed',
    description: operationalTypes['listener.resumed'].description,
    schema: { type: 'object' },
    example: { ...operationalTypes['listener.resumed'].example },
  }),
  access: { role: 'viewer', organisation: 'service' },
});

export const subscribeOperationsRoute = route('subscribeOperations', 'post', '/operations/subscribe', {
  summary: 'Subscribe to operational events',
  description:
    `Registers a listener of the organisation \`${operationsOrganisation}\`, which gets the operational events of all organisations. ` +
    'The subscription type names one type, or a prefix such as `listener.*`. The listener is operated as any other.',
  body: operationsRequest,
  bodyExample: { hookUrl: 'https://hooks.example.com/catch/7f3a', subscriptionType: 'listener.*' },
  answer: {
    status: 201,
    schema: operationalListener,
    example: { orgId: operationsOrganisation, subscriptionType: 'listener.*' },
  },
  errors: ['target_not_allowed'],
  access: { role: 'operator', organisation: 'service' },
});

export const operationContracts = route.declared;
