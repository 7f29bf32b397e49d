import { differenceBetween, registeredAsOf } from '../../audit/as-of.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import {
  indexedEventTypes,
  indexedStreams,
  type OnScanned,
  scannedEventTypes,
  scannedStreams,
} from '../../audit/find-streams.js';
import { auditHistory, historyCategories } from '../../audit/history.js';
import { serviceHistory } from '../../audit/service-history.js';
import { boundedPage, readAtOnce } from '../../kernel/bounded-page.js';
import type { PageRequest } from '../../kernel/pages.js';
import { showAsOfRoute, showDifferenceRoute, showHistoryRoute, showServiceHistoryRoute } from './contracts/audit.js';
import { listOfPage } from './contracts/fields.js';
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
      const read = (page: PageRequest<bigint>) => auditHistory(store, findStreams, query, { ...page, first });
      return listOfPage(await boundedPage({ limit, after }, readAtOnce(read, positionOf)));
    }),

    handle(showServiceHistoryRoute, async ({ query: { limit, after, ...query } }) => {
      const read = (page: PageRequest<bigint>) => serviceHistory(store, findEventTypes, query, page);
      return listOfPage(await boundedPage({ limit, after }, readAtOnce(read, positionOf)));
    }),

    handle(showAsOfRoute, async ({ body: { at, limit, after, ...query } }) => {
      const read = (page: PageRequest<string>) => registeredAsOf(store, findStreams, query, { at, ...page });
      return listOfPage(
        await boundedPage(
          { limit, after },
          readAtOnce(read, ({ stream }) => stream),
        ),
      );
    }),

    handle(showDifferenceRoute, async ({ body: { limit, after, ...query } }) => {
      const read = (page: PageRequest<string>) => differenceBetween(store, findStreams, query, page);
      const page = await boundedPage(
        { limit, after },
        readAtOnce(read, ([first]) => first?.stream ?? ''),
      );
      return listOfPage({ ...page, items: page.items.flat() });
    }),
  ];
}

const positionOf = ({ position }: AuditEntry): bigint => BigInt(position);
