import type { AnswerDescription, RouteDescription } from '../../http/api-description/route-description.js';
import { apiKeyContracts } from './contracts/api-keys.js';
import { auditContracts } from './contracts/audit.js';
import { clientContracts } from './contracts/clients.js';
import { deliveryContracts } from './contracts/deliveries.js';
import { eventTypeContracts } from './contracts/event-types.js';
import { flowEventContracts } from './contracts/flow-events.js';
import { forwardingContracts } from './contracts/forwardings.js';
import { listenerQueryContracts } from './contracts/listener-queries.js';
import { listenerContracts } from './contracts/listeners.js';
import { operationContracts } from './contracts/operations.js';
import { organisationContracts } from './contracts/organisations.js';
import { projectionContracts } from './contracts/projections.js';
import { replayContracts } from './contracts/replays.js';
import { activityContracts, serviceContracts } from './contracts/service.js';
import { consentContracts, sessionContracts } from './contracts/sessions.js';
import { setAsideContracts } from './contracts/set-aside.js';
import { taskContracts } from './contracts/tasks.js';
import type { AnyAdminRoute } from './routing/admin-route.js';
import { sealDescriptions } from './seals.js';

export const adminContracts: readonly AnyAdminRoute[] = [
  ...listenerContracts,
  ...listenerQueryContracts,
  ...deliveryContracts,
  ...flowEventContracts,
  ...forwardingContracts,
  ...eventTypeContracts,
  ...replayContracts,
  ...auditContracts,
  ...organisationContracts,
  ...taskContracts,
  ...sessionContracts,
  ...consentContracts,
  ...clientContracts,
  ...apiKeyContracts,
  ...projectionContracts,
  ...setAsideContracts,
  ...activityContracts,
  ...serviceContracts,
  ...operationContracts,
];

export const adminRouteDescriptions: readonly RouteDescription[] = [
  ...adminContracts.map(describe),
  ...sealDescriptions,
];

function describe(contract: AnyAdminRoute): RouteDescription {
  const { name, method, path, subject, summary, description, params, query, body, bodyExample, errors, access } =
    contract;
  return {
    name,
    method,
    path,
    tag: `Operators: ${subject}`,
    summary,
    description,
    credentials: { adminKey: [access.role], ...(access.scope !== undefined && { apiKey: [access.scope] }) },
    params: params.shape,
    query: query.shape,
    body: body && { schema: body, example: bodyExample ?? {}, optional: body.safeParse({}).success },
    answers: answersOf(contract),
    errors,
  };
}

function answersOf({ answer }: AnyAdminRoute): Readonly<Record<number, AnswerDescription>> {
  const { status = 200, description = 'Done.', schema, example, alternative } = answer;
  return {
    [status]: { description, schema, example },
    ...(alternative && {
      [alternative.status]: { description: alternative.description, schema, example: alternative.example },
    }),
  };
}
