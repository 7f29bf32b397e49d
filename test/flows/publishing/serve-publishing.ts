import { type PublishRoutesDependencies, publishRoutes } from '../../../src/flows/publishing/routes.js';
import { publishingChecks } from '../../../src/flows/types/publishing-checks.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { headerIdentity } from '../../support/service/header-identity.js';
import { noLimits } from '../../support/service/no-limits.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';

/** The routes of producers on a store, for callers who are known by their headers, without limits of requests. */
export const servePublishing = (
  store: EventStore,
  settings: Partial<Omit<PublishRoutesDependencies, 'store'>> = {},
): Promise<Served> =>
  serveRoutes(
    publishRoutes({
      store,
      identity: headerIdentity,
      checkPublished: publishingChecks(store),
      maxEventBytes: 2_000,
      pace: async () => undefined,
      limits: noLimits,
      ...settings,
    }),
  );
