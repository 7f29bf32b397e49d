import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { listOrganisationsRoute } from '../../../admin/api/contracts/organisations.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Copyable, Empty } from '../../components/card.js';
import { Field, FilterBar, Results } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { numberText } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';
import { erasurePages } from './erasure.js';
import { organisationPage, section } from './organisation.js';

type Organisation = RouteAnswer<typeof listOrganisationsRoute>['items'][number];

const pageSize = 50;
/** Number of entries in a picker. */
const suggested = 20;

/** `/organisations`: the known organisations; one with its settings, keys and links; its erasure. */
export const organisationPages =
  (log: Logger): Subject =>
  (site) => {
    site.get(section, async (at) => {
      const { items, next } = await at.call(listOrganisationsRoute, {
        query: { ...at.query.pick('prefix', 'after'), limit: String(pageSize) },
      });
      return {
        title: 'Organisations',
        section,
        lead: 'Customers with listeners, sessions, consents, settings or keys, now or in the past.',
        content: (
          <>
            <FilterBar>
              <Field name="prefix" label="ID begins with" type="search" maxLength={256} />
            </FilterBar>
            <Results>
              <Organisations at={at} organisations={items} />
              <Pager next={next} />
            </Results>
          </>
        ),
      };
    });
    site.download(`${section}/names`, async (at) => {
      const query = { ...at.query.pick('prefix'), limit: String(suggested) };
      const { items } = await at.call(listOrganisationsRoute, { query });
      const content = Buffer.from(JSON.stringify(items.map(({ orgId }) => orgId)));
      return { download: { fileName: 'names.json', bytes: content.length, content: Readable.from([content]) } };
    });
    organisationPage(site);
    erasurePages(site, log);
  };

const Organisations = ({ at, organisations }: { at: PageRequest; organisations: readonly Organisation[] }) => (
  <Table
    caption="Organisations"
    rows={organisations}
    keyOf={({ orgId }) => orgId}
    empty={
      at.query.text('prefix') === undefined ? (
        <NoneYet at={at} />
      ) : (
        <Empty title="No organisation has an ID that begins like this" />
      )
    }
    columns={[
      { head: 'ID', wide: true, cell: ({ orgId }) => <a href={at.url(`${section}/show`, { orgId })}>{orgId}</a> },
      {
        head: 'Listeners',
        numeric: true,
        cell: ({ orgId, listeners }) => <a href={at.url('/listeners', { orgId })}>{numberText(listeners)}</a>,
      },
      { head: 'Deliveries', cell: ({ orgId }) => <a href={at.url('/deliveries', { orgId })}>Show</a> },
      { head: 'History', cell: ({ orgId }) => <a href={at.url('/audit', { orgId })}>Show</a> },
    ]}
  />
);

const NoneYet = ({ at }: { at: PageRequest }) => (
  <Empty title="No organisations yet">
    <p>One appears when its first user signs in, or when its first listener is registered:</p>
    <Copyable text={at.commands.subscribe} />
  </Empty>
);
