import { type SubscribeOperations, subscribeOperations } from '../operations/subscribe-operations.js';
import { listOperationalTypesRoute, operationalTypeList, subscribeOperationsRoute } from './contracts/operations.js';
import { type BoundRoute, handle } from './routing/admin-route.js';

export const operationRoutes = (dependencies: SubscribeOperations): readonly BoundRoute[] => [
  handle(listOperationalTypesRoute, () => ({ items: operationalTypeList, next: null })),
  handle(subscribeOperationsRoute, ({ body }, context) => subscribeOperations(dependencies, body, context)),
];
