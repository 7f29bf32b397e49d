import { listDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { Empty } from '../../components/card.js';
import { Results } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { numberText } from '../../components/time.js';
import { Export, exportPage } from '../../derived/export.js';
import { namedOrganisation, organisationOf, type PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';

import { noneOnPage } from '../organisation.js';
import { deliveryPage } from './delivery.js';
import { DeliveryFilter, deliveryQuery, filterOf, orderOf } from './delivery-filter.js';
import { deliveryTable, hookUrlsOf } from './delivery-table.js';
import { redeliveryPages } from './redelivery.js';
import { readServiceDeliveries } from './service-deliveries.js';

const pageSize = '50';

export const deliveryPages: Subject = (site) => {
  redeliveryPages(site);
  exportPage(site, '/deliveries', {
    route: listDeliveriesRoute,
    read: (at, after) =>
      at.call(listDeliveriesRoute, { query: { ...deliveryQuery(at, organisationOf(at) ?? ''), limit: '1000', after } }),
  });
  deliveryPage(site);

  const live = site.live('/deliveries', {
    everyMs: 5_000,
    parts: async (at) => ({ deliveries: await read(at) }),
  });

  site.get('/deliveries', async (at) => {
    const parts = await live(at);
    const orgId = organisationOf(at);
    return {
      title: 'Deliveries',
      lead: 'Flow events on their way to listeners, those of the latest flow events first.',
      actions: orgId !== undefined && at.may('operator', 'redeliver') && (
        <a class="button" href={`${at.url('/deliveries/redeliver')}${at.search}`}>
          Redeliver…
        </a>
      ),
      live: parts,
      content: (
        <>
          <DeliveryFilter at={at} />
          <Results>{parts.part('deliveries')}</Results>
        </>
      ),
    };
  });
};

async function read(at: PageRequest) {
  const orgId = organisationOf(at);
  if (orgId === undefined) return readServiceDeliveries(at);
  const after = at.query.text('after');
  const order = orderOf(at);
  const page = order ? { order } : after === undefined ? ({ counted: 'true' } as const) : { after };
  const [{ items, next, total }, hookUrls] = await Promise.all([
    at.call(listDeliveriesRoute, { query: { ...deliveryQuery(at, orgId), limit: pageSize, ...page } }),
    hookUrlsOf(at, orgId),
  ]);
  return (
    <>
      {total !== undefined && total.count > 0 && (
        <p class="muted">
          {numberText(total.count)}
          {total.isAll ? '' : '+'} {total.count === 1 ? 'delivery' : 'deliveries'}
          {order && total.count > items.length && `, of which ${items.length} with the latest attempts are shown`}
        </p>
      )}
      <Table
        {...deliveryTable(at, hookUrls, order)}
        rows={items}
        empty={<NoDeliveries at={at} isLast={next === null} />}
      />
      <Pager next={next} />
      <Export />
    </>
  );
}

function NoDeliveries({ at, isLast }: { at: PageRequest; isLast: boolean }) {
  if (!isLast) return noneOnPage;
  if (Object.keys(filterOf(at)).length > 0 || at.query.text('after') !== undefined) {
    return (
      <Empty title="No delivery matches the filter">
        <p>Deliveries that have ended are forgotten after the retention time (DELIVERY_RETENTION).</p>
      </Empty>
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
}
