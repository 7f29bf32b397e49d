import type { Route } from '../../http/route-contract.js';
import { apiKeyContracts } from './contracts/api-keys.js';
import { auditContracts } from './contracts/audit.js';
import { clientContracts } from './contracts/clients.js';
import { deliveryContracts } from './contracts/deliveries.js';
import { eventTypeContracts } from './contracts/event-types.js';
import { feedContracts } from './contracts/feed.js';
import { flowEventContracts } from './contracts/flow-events.js';
import { listenerQueryContracts } from './contracts/listener-queries.js';
import { listenerContracts } from './contracts/listeners.js';
import { operationContracts } from './contracts/operations.js';
import { organisationContracts } from './contracts/organisations.js';
import { replayContracts } from './contracts/replays.js';
import { activityContracts, keyContracts } from './contracts/service.js';
import { consentContracts, sessionContracts } from './contracts/sessions.js';
import { setAsideContracts } from './contracts/set-aside.js';
import { taskContracts } from './contracts/tasks.js';
import { viewContracts } from './contracts/views.js';
import type { AnyAdminRoute } from './routing/admin-route.js';
import { sealRoutes } from './seals.js';

export const adminContracts: readonly AnyAdminRoute[] = [
  ...listenerContracts,
  ...listenerQueryContracts,
  ...deliveryContracts,
  ...flowEventContracts,
  ...feedContracts,
  ...eventTypeContracts,
  ...replayContracts,
  ...auditContracts,
  ...organisationContracts,
  ...taskContracts,
  ...sessionContracts,
  ...consentContracts,
  ...clientContracts,
  ...apiKeyContracts,
  ...viewContracts,
  ...setAsideContracts,
  ...activityContracts,
  ...keyContracts,
  ...operationContracts,
];

/** The routes of the admin API, with those that stream files. */
export const allAdminRoutes: readonly Route[] = [...adminContracts, ...sealRoutes];
