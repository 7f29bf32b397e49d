import { differenceBetween, registeredAsOf } from '../audit/as-of.js';
import {
  indexedEventTypes,
  indexedStreams,
  type OnScanned,
  scannedEventTypes,
  scannedStreams,
} from '../audit/find-streams.js';
import { auditHistory, historyCategories } from '../audit/history.js';
import { serviceHistory } from '../audit/service-history.js';
import { showAsOfRoute, showDifferenceRoute, showHistoryRoute, showServiceHistoryRoute } from './contracts/audit.js';
import { pageOf } from './contracts/fields.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

type AuditRoutes = RouteStores & {
  fullScan?: boolean;
  onScanned?: OnScanned;
};

export function auditRoutes({ store, readModel, fullScan = false, onScanned }: AuditRoutes): readonly BoundRoute[] {
  const findStreams = fullScan ? scannedStreams(store, historyCategories, onScanned) : indexedStreams(store, readModel);
  const findEventTypes = fullScan ? scannedEventTypes(store, onScanned) : indexedEventTypes(store, readModel);

  return [
    handle(showHistoryRoute, async ({ body: { limit, after, first, ...query } }) => {
      const entries = await auditHistory(store, findStreams, query, { limit, after, first });
      return pageOf(entries, { limit, after: (last) => last.position });
    }),

    handle(showServiceHistoryRoute, async ({ query: { limit, after, ...query } }) => {
      const entries = await serviceHistory(store, findEventTypes, query, { limit, after });
      return pageOf(entries, { limit, after: (last) => last.position });
    }),

    handle(showAsOfRoute, async ({ body: { at, ...query } }) => ({
      items: await registeredAsOf(store, findStreams, query, at),
      next: null,
    })),

    handle(showDifferenceRoute, async ({ body: { limit, after, ...query } }) => {
      const differing = await differenceBetween(store, findStreams, query, { limit, after });
      const { next } = pageOf(differing, { limit, after: ([last]) => last?.stream ?? '' });
      return { items: differing.flat(), next };
    }),
  ];
}
