import { listFlowEventsRoute } from '../../../admin/api/contracts/flow-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Empty, Id } from '../../components/card.js';
import { Field, FilterBar, Results } from '../../components/form.js';
import { Period } from '../../components/period.js';
import { Pager, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { utcInstant } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';
import { flowEventHref } from '../deliveries/delivery-table.js';
import { Export, exportPage } from '../export.js';
import { namedOrganisation, OrganisationField, organisationOf } from '../organisation.js';
import { flowEventPage } from './flow-event.js';
import { publishPage } from './publish.js';

type Page = RouteAnswer<typeof listFlowEventsRoute>;

const pageSize = '50';
const filters = ['type', 'find', 'from', 'to'] as const;

export const flowEventPages: Subject = (site) => {
  publishPage(site);
  exportPage(site, '/flow-events', {
    route: listFlowEventsRoute,
    read: (at, after) => search(at, organisationOf(at) ?? '', { limit: '1000', after }),
  });
  flowEventPage(site);

  const live = site.live('/flow-events', {
    everyMs: 3_000,
    onAppended: true,
    parts: async (at) => ({ events: await read(at) }),
  });

  site.get('/flow-events', async (at) => {
    const parts = await live(at);
    return {
      title: 'Flow events',
      section: '/flow-events',
      lead: 'What producers have published, and the fan-out has processed, the latest first.',
      actions: at.may('operator', 'publish') && (
        <a class="button primary" href={at.url('/flow-events/publish', namedOrganisation(at))}>
          Publish…
        </a>
      ),
      live: parts,
      content: (
        <>
          <Filter at={at} />
          <Results>{parts.part('events')}</Results>
        </>
      ),
    };
  });
};

function Filter({ at }: { at: PageRequest }) {
  return (
    <FilterBar keep={['orgId']}>
      <OrganisationField at={at} />
      <Field label="Type" name="type" placeholder="flow.*" />
      <Field label="ID, flowId or searchable value" name="find" hint="Or its beginning." />
      <Period />
    </FilterBar>
  );
}

async function read(at: PageRequest) {
  const orgId = organisationOf(at);
  if (orgId === undefined) {
    return (
      <Empty title="Choose an organisation">
        <p>Flow events are listed for one organisation at a time.</p>
      </Empty>
    );
  }
  const { items, next } = await search(at, orgId);
  return (
    <>
      <Table
        caption="Flow events, the latest first"
        rows={items}
        keyOf={({ storeEventId }) => storeEventId}
        empty={<NoEvents at={at} isLast={next === null} />}
        columns={[
          { head: 'Type', cell: (event) => <a href={flowEventHref(at, event)}>{event.type}</a> },
          { head: 'ID', cell: (event) => <Id value={event.eventId} href={flowEventHref(at, event)} /> },
          { head: 'Recorded', cell: ({ recordedAt }) => recordedAt && <Time at={recordedAt} /> },
          {
            head: 'Deliveries',
            cell: ({ eventId }) => (
              <a href={at.url('/deliveries', { ...namedOrganisation(at), eventId })}>Show deliveries</a>
            ),
            wide: true,
          },
        ]}
      />
      <Pager next={next} />
      <Export />
    </>
  );
}

function search(
  at: PageRequest,
  orgId: string,
  page: { limit: string; after?: string } = {
    limit: pageSize,
    after: at.query.text('after'),
  },
): Promise<Page> {
  const { type, find, from, to } = at.query.pick(...filters);
  return at.call(listFlowEventsRoute, {
    query: { orgId, type, find, from: utcInstant(from), to: utcInstant(to), ...page },
  });
}

function NoEvents({ at, isLast }: { at: PageRequest; isLast: boolean }) {
  if (!isLast) {
    return (
      <Empty title="None on this page">
        <p>The filter matches rarely: the search goes on with the next page.</p>
      </Empty>
    );
  }
  if (Object.keys(at.query.pick(...filters, 'after')).length > 0) {
    return (
      <Empty title="No flow event matches the filter">
        <p>Flow events are known for the time in PUBLISH_MEMORY, and as long as they have deliveries.</p>
      </Empty>
    );
  }
  return (
    <Empty title="There are no flow events">
      <p>
        Producers publish them with <code>POST /api/flows</code>, or append them to a stream that begins with{' '}
        <code>flow-</code>.
      </p>
    </Empty>
  );
}
