import { listDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { Empty } from '../../../site/components/card.js';
import { numberText } from '../../../site/components/time.js';
import { routeList } from '../../../site/derived/route-list.js';
import { namedOrganisation, organisationOf } from '../../../site/page-request.js';
import type { Subject } from '../../../site/page-view.js';
import { noneOnPage } from '../organisation.js';
import { deliveryPage } from './delivery.js';
import { deliveryFilters, filterOf, orderOf } from './delivery-filter.js';
import { deliveryTable, hookUrlsOf } from './delivery-table.js';
import { redeliveryPages } from './redelivery.js';
import { readServiceDeliveries } from './service-deliveries.js';

export const deliveryPages: Subject = (site) => {
  redeliveryPages(site);
  routeList(site, '/deliveries', listDeliveriesRoute, {
    title: 'Deliveries',
    lead: 'Flow events on their way to listeners, those of the latest flow events first.',
    live: { everyMs: 5_000 },
    isExported: true,
    filters: deliveryFilters,
    needs: ['orgId'],
    unchosen: readServiceDeliveries,
    query(at, page) {
      if (page === 'file') return { order: undefined };
      if (orderOf(at)) return { after: undefined }; // it is one page
      return page === 'first' ? { counted: 'true' } : {};
    },
    actions: (at) =>
      organisationOf(at) !== undefined &&
      at.may('operator', 'redeliver') && (
        <a class="button" href={`${at.url('/deliveries/redeliver')}${at.search}`}>
          Redeliver…
        </a>
      ),
    summary: (at, { total, items }) =>
      total !== undefined &&
      total.count > 0 && (
        <p class="muted">
          {numberText(total.count)}
          {total.isAll ? '' : '+'} {total.count === 1 ? 'delivery' : 'deliveries'}
          {orderOf(at) && total.count > items.length && `, of which ${items.length} with the latest attempts are shown`}
        </p>
      ),
    keyOf: ({ id }) => id,
    caption: (at) => deliveryTable(at, new Map(), orderOf(at)).caption,
    columns: async (at) => deliveryTable(at, await hookUrlsOf(at, organisationOf(at) ?? ''), orderOf(at)).columns,
    empty(at, isLast) {
      if (!isLast) return noneOnPage;
      if (Object.keys(filterOf(at)).length > 0 || at.query.text('after') !== undefined) {
        return (
          <Empty
            title="No delivery matches the filter"
            text="Deliveries that have ended are forgotten after the retention time (DELIVERY_RETENTION)."
          />
        );
      }
      return (
        <Empty title="There are no deliveries">
          <p>A delivery begins when a flow event happens that a listener of the organisation has subscribed to.</p>
          <p>
            <a href={at.url('/flow-events', namedOrganisation(at))}>Flow events of the organisation</a>
          </p>
        </Empty>
      );
    },
  });
  deliveryPage(site);
};
