import { listenerSearchStates, searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import { Copyable, Empty, Id } from '../../components/card.js';
import { Field } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import { HealthBadge, StatusBadge } from './listener.js';

type Filters = {
  readonly orgId?: string | undefined;
  readonly state?: string | undefined;
  readonly url?: string | undefined;
  readonly after?: string | undefined;
};

const stateNames: Readonly<Record<(typeof listenerSearchStates)[number], string>> = {
  active: 'Active',
  troubled: 'In trouble',
  paused: 'Paused by an operator',
  'paused-failing': 'Paused because failing',
  ended: 'Removed',
};

const stateOf = (text: string | undefined) => listenerSearchStates.find((state) => state === text);

const pageSize = 50;

/**
 * `/listeners`. A searched URL is posted: it is a capability, and addresses of pages are in logs and browser histories.
 */
export function listPages(site: Site): void {
  site.get('/listeners', async (at) => {
    const { orgId, state, after } = at.query.pick('orgId', 'state', 'after');
    return listenerList(at, { orgId, state, after });
  });
  site.post('/listeners', async (at) => {
    const { orgId, state, url, after } = at.form.pick('orgId', 'state', 'url', 'after');
    if (url === undefined) return redirectTo(at, '/listeners', { orgId, state });
    return listenerList(at, { orgId, state, url: url.trim(), after });
  });
}

const isFiltered = (filters: Filters): boolean => Object.values(filters).some((filter) => filter !== undefined);

async function listenerList(at: PageRequest, filters: Filters): Promise<PageView> {
  const { items, next, searched } = await search(at, filters);
  const { url } = filters;
  return {
    title: 'Listeners',
    section: '/listeners',
    lead: 'The callback URLs that platforms have registered, the latest first.',
    content: (
      <>
        <SearchBar at={at} filters={filters} />
        <div class="results">
          <Table
            caption="Listeners"
            rows={items}
            keyOf={({ listenerId }) => listenerId}
            empty={isFiltered(filters) ? <NoneFound more={next !== null} /> : <NoListeners />}
            columns={[
              {
                head: 'Listener',
                wide: true,
                cell: ({ listenerId, hookUrl }) => <a href={at.url(`/listeners/${listenerId}`)}>{hookUrl}</a>,
              },
              ...(at.caller.orgId === null
                ? [
                    {
                      head: 'Organisation',
                      cell: (listener: { readonly orgId: string }) => <OrganisationLink at={at} {...listener} />,
                    },
                  ]
                : []),
              { head: 'Type', cell: ({ subscriptionType }) => <code>{subscriptionType}</code> },
              { head: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
              {
                head: 'Health',
                cell: ({ health, status }) => (status === 'ended' ? '–' : <HealthBadge health={health} />),
              },
              { head: 'Since', cell: ({ since }) => <Time at={since} relative /> },
            ]}
          />
          {url !== undefined && next !== null && (
            <p class="muted">{numberText(searched)} listeners were searched for this page.</p>
          )}
          <Pages at={at} filters={filters} next={next} />
        </div>
      </>
    ),
  };
}

/** By index for a whole URL, else as a part of URLs. */
async function search(at: PageRequest, { orgId, state, url, after }: Filters) {
  const body = { orgId, state: stateOf(state), limit: pageSize, after };
  if (url !== undefined && after === undefined && /^https?:\/\/[^/]+\/./i.test(url) && URL.canParse(url)) {
    const whole = await at.call(searchListenersRoute, { body: { ...body, hookUrl: url } });
    if (whole.items.length > 0) return whole;
  }
  return at.call(searchListenersRoute, { body: { ...body, urlPart: url } });
}

const SearchBar = ({ at, filters }: { readonly at: PageRequest; readonly filters: Filters }) => (
  <search>
    <form class="filters" method="post" action={at.url('/listeners')}>
      <Field
        label="URL, or a part of it"
        name="url"
        type="search"
        value={filters.url}
        maxLength={2_048}
        autocomplete="off"
      />
      {at.caller.orgId === null && <Field label="Organisation" name="orgId" value={filters.orgId} maxLength={256} />}
      <Field
        label="State"
        name="state"
        value={stateOf(filters.state) ?? ''}
        options={[
          { value: '', text: 'All registered' },
          ...listenerSearchStates.map((state) => ({ value: state, text: stateNames[state] })),
        ]}
      />
      <div class="filter-buttons">
        <button type="submit">Search</button>
        {isFiltered(filters) && <a href={at.url('/listeners')}>Clear</a>}
      </div>
    </form>
  </search>
);

const OrganisationLink = ({ at, orgId }: { readonly at: PageRequest; readonly orgId: string }) => (
  <Id value={orgId} href={at.url('/organisations/show', { orgId })} />
);

/** A search for a URL continues with a form. */
function Pages({
  at,
  filters,
  next,
}: {
  readonly at: PageRequest;
  readonly filters: Filters;
  readonly next: string | null;
}) {
  const { orgId, state, url } = filters;
  if (url === undefined) {
    return <Pager next={next} />;
  }
  if (next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <form class="action" method="post" action={at.url('/listeners')}>
        {Object.entries({ orgId, state, url, after: next }).map(
          ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <button type="submit">Search on</button>
      </form>
    </nav>
  );
}

/** Instead of the table, where a search has found none. */
const NoneFound = ({ more }: { readonly more: boolean }) => (
  <Empty title={more ? 'None so far' : 'No listeners match'}>
    <p>{more ? 'There are more listeners to search.' : 'Search for less of the URL, or in another state.'}</p>
  </Empty>
);

const subscribeCommand = `curl -X POST "$PUBLIC_URL/api/hooks/subscribe/flows" \\
  -H 'content-type: application/json' -H 'orgid: acme' -H 'userid: 42' \\
  -d '{"hookUrl": "https://hooks.example.com/1", "subscriptionType": "flow.*"}'`;

/** Instead of the table, where no listener is registered. */
const NoListeners = () => (
  <Empty title="No listeners are registered">
    <p>A platform registers one when a user switches on an automation. To try it:</p>
    <Copyable text={subscribeCommand} />
  </Empty>
);
