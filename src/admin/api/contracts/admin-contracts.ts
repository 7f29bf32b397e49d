import type { AnyAdminRoute } from '../routing/handle.js';
import { activityContracts } from './activity.js';
import { apiKeyContracts } from './api-keys.js';
import { auditContracts } from './audit.js';
import { clientContracts } from './clients.js';
import { deliveryContracts } from './deliveries.js';
import { eventTypeContracts } from './event-types.js';
import { flowEventContracts } from './flow-events.js';
import { listenerQueryContracts } from './listener-queries.js';
import { listenerContracts } from './listeners.js';
import { organisationContracts } from './organisations.js';
import { projectionContracts } from './projections.js';
import { replayContracts } from './replays.js';
import { serviceContracts } from './service.js';
import { consentContracts, sessionContracts } from './sessions.js';
import { setAsideContracts } from './set-aside.js';
import { taskContracts } from './tasks.js';

/** All routes of the admin API, in the order of the API description. */
export const adminContracts: readonly AnyAdminRoute[] = [
  ...listenerContracts,
  ...listenerQueryContracts,
  ...deliveryContracts,
  ...flowEventContracts,
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
];
