import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { listOrganisationsRoute } from '../../../admin/api/contracts/organisations.js';
import { Copyable, Empty } from '../../../site/components/card.js';
import { numberText } from '../../../site/components/time.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';
import { erasurePages } from './erasure.js';
import { organisationPage } from './organisation.js';

/** Number of entries in a picker. */
const suggested = 20;

/** `/organisations`: the known organisations; one with its settings, keys and links; its erasure. */
export const organisationPages =
  (log: Logger): Subject =>
  (site) => {
    routeList(site, '/organisations', listOrganisationsRoute, {
      title: 'Organisations',
      lead: 'Customers with listeners, sessions, consents, settings or keys, now or in the past.',
      filters: { prefix: { label: 'ID begins with', type: 'search' } },
      keyOf: ({ orgId }) => orgId,
      columns: (at) => ({
        ID: { show: 'orgId', wide: true },
        Listeners: {
          show: ({ orgId, listeners }) => <a href={at.url('/listeners', { orgId })}>{numberText(listeners)}</a>,
          numeric: true,
        },
        Deliveries: { show: ({ orgId }) => <a href={at.url('/deliveries', { orgId })}>Show</a>, headed: true },
        History: { show: ({ orgId }) => <a href={at.url('/audit', { orgId })}>Show</a>, headed: true },
      }),
      empty: (at) =>
        at.query.text('prefix') === undefined ? (
          <Empty title="No organisations yet">
            <p>One appears when its first user signs in, or when its first listener is registered:</p>
            <Copyable text={at.commands.subscribe} />
          </Empty>
        ) : (
          <Empty title="No organisation has an ID that begins like this" />
        ),
    });
    site.download('/organisations/names', async (at) => {
      const query = { ...at.query.pick('prefix'), limit: String(suggested) };
      const { items } = await at.call(listOrganisationsRoute, { query });
      const content = Buffer.from(JSON.stringify(items.map(({ orgId }) => orgId)));
      return { download: { fileName: 'names.json', bytes: content.length, content: Readable.from([content]) } };
    });
    organisationPage(site, erasurePages(site, log));
  };
