import type { AnyAdminRoute } from '../routing/handle.js';
import { activityContracts } from './activity.js';
import { apiKeyContracts } from './api-keys.js';
import { auditContracts } from './audit.js';
import { clientContracts } from './clients.js';
import { deliveryContracts } from './deliveries.js';
import { eventTypeContracts } from './event-types.js';
import { flowEventContracts } from './flow-events.js';
import { hookContracts } from './hooks.js';
import { keyContracts } from './keys.js';
import { listenerContracts } from './listeners.js';
import { organisationContracts } from './organisations.js';
import { portalLinkContracts } from './portal-links.js';
import { projectionContracts } from './projections.js';
import { replayContracts } from './replays.js';
import { consentContracts, sessionContracts } from './sessions.js';
import { setAsideContracts } from './set-aside.js';
import { taskContracts } from './tasks.js';
import { verificationContracts } from './verifications.js';

/** All routes of the admin API, in the order of the API description. */
export const adminContracts: readonly AnyAdminRoute[] = [
  ...listenerContracts,
  ...hookContracts,
  ...deliveryContracts,
  ...flowEventContracts,
  ...eventTypeContracts,
  ...replayContracts,
  ...auditContracts,
  ...organisationContracts,
  ...portalLinkContracts,
  ...taskContracts,
  ...sessionContracts,
  ...consentContracts,
  ...clientContracts,
  ...apiKeyContracts,
  ...keyContracts,
  ...projectionContracts,
  ...verificationContracts,
  ...setAsideContracts,
  ...activityContracts,
];
