import type { z } from 'zod';
import { listenerSearchStates, searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import { pauseListenerRoute, resumeListenerRoute } from '../../../admin/api/contracts/listeners.js';
import { NotFound } from '../../../http/errors.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Copyable, Empty, Id } from '../../../site/components/card.js';
import { Field, Form } from '../../../site/components/form.js';
import { Pager, Table } from '../../../site/components/table.js';
import { countText, numberText } from '../../../site/components/time.js';
import { HookUrl } from '../../../site/components/url.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { RouteField } from '../../../site/derived/route-fields.js';
import type { PageRequest, Query } from '../../../site/page-request.js';
import { type PageView, redirectTo, type Site, type Subject } from '../../../site/page-view.js';
import { explainPage } from './explain-listener.js';
import { keptTerms } from './kept-terms.js';
import { AgentTerm, failureText, StateBadge } from './listener.js';
import { addAction } from './listener-form.js';
import { listenerPage } from './listener-page.js';
import { tryPage } from './try-listener.js';

type Filters = {
  orgId?: string;
  state?: string;
  url?: string;
  after?: string;
};

const stateNames = {
  '': 'All registered',
  active: 'Active',
  troubled: 'In trouble',
  paused: 'Paused',
  'paused-failing': 'Paused while failing',
  ended: 'Removed',
} as const satisfies Readonly<Record<'' | (typeof listenerSearchStates)[number], string>>;

const stateOf = (text: string | undefined) => listenerSearchStates.find((state) => state === text);

const pageSize = 50;

/** `/listeners`: the list, one listener with its history and actions. */
export const listenerPages: Subject = (site) => {
  listPages(site, addAction(site));
  listenerPage(site);
  tryPage(site);
  explainPage(site);
};

/**
 * `/listeners`. A searched URL with a path is a capability, which must not be in logs and browser histories: it is posted,
 * and kept for some minutes under an ID.
 */
function listPages(site: Site, add: Action): void {
  site.notices({
    'listeners-paused': (count = 0, removed = 0) =>
      `${countText(count, 'listener')} ${count === 1 ? 'is' : 'are'} paused.${whetherRemoved(removed)}`,
    'listeners-resumed': (count = 0, removed = 0) =>
      `${countText(count, 'listener')} ${count === 1 ? 'is' : 'are'} active, and deliveries that were held are due.${whetherRemoved(removed)}`,
  });
  site.get('/listeners', async (at) => {
    const { url, search: id, ...filters } = at.query.pick('orgId', 'state', 'url', 'search', 'after');
    const term = id === undefined ? url : keptTerms.find(id, at.caller.orgId);
    if (id !== undefined && term === undefined) return expired(at);
    return listenerList(at, { ...filters, url: term }, add);
  });
  site.post('/listeners', async (at) => {
    if (at.form.text('change') !== undefined) return changeSelected(at);
    const { url, ...filters } = at.form.pick('orgId', 'state', 'url');
    return redirectTo(at, '/listeners', { ...filters, ...termQuery(at, url?.trim()) });
  });
}

const whetherRemoved = (count: number): string =>
  count === 0 ? '' : ` ${countText(count, 'listener')} of the selection had been removed.`;

/** Pauses or resumes the selected listeners; those that have been removed meanwhile are left out. */
async function changeSelected(at: PageRequest) {
  const isPause = at.form.text('change') === 'pause';
  const ids = at.form.all('ids');
  if (ids.length === 0) throw new InvalidRequest('nothing is selected: select listeners first');
  let removed = 0;
  for (const listenerId of ids) {
    const request = { params: { listenerId } };
    try {
      if (isPause) await at.call(pauseListenerRoute, { ...request, body: {} });
      else await at.call(resumeListenerRoute, { ...request, body: { redeliverHeld: true } });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      removed += 1;
    }
  }
  return redirectTo(at, `/listeners`, {
    ...at.query.pick('orgId', 'state', 'url', 'search'),
    notice: `${isPause ? 'listeners-paused' : 'listeners-resumed'}.${ids.length - removed}.${removed}`,
  });
}

/** The query of a search for a part of a URL. */
export const termQuery = ({ caller }: PageRequest, term: string | undefined): Query =>
  term === undefined || !/[^/:]\/./.test(term) ? { url: term } : { search: keptTerms.keep(term, caller.orgId) };

const expired = (at: PageRequest): PageView => ({
  title: 'Listeners',
  content: (
    <>
      <SearchBar at={at} filters={{}} />
      <Empty
        title="This search has expired"
        text="A search for a URL is kept for some minutes, by the instance that answered it. Search again."
      />
    </>
  ),
});

const isFiltered = (filters: Filters): boolean => Object.values(filters).some((filter) => filter !== undefined);

async function listenerList(at: PageRequest, filters: Filters, add: Action): Promise<PageView> {
  const { items, next } = await search(at, filters);
  return {
    title: 'Listeners',
    lead: 'The callback URLs that platforms and agents have registered, the latest first.',
    actions: add.button(at, { orgId: filters.orgId }),
    content: (
      <>
        <SearchBar at={at} filters={filters} />
        <div class="results">
          {at.may('operator', 'pause') && items.length > 0 && (
            <Form id="selection" class="selection" action={at.here()}>
              <button type="submit" name="change" value="pause">
                Pause selected
              </button>
              <button type="submit" name="change" value="resume">
                Resume selected
              </button>
            </Form>
          )}
          <Table
            caption="Listeners"
            rows={items}
            keyOf={({ listenerId }) => listenerId}
            empty={isFiltered(filters) ? <NoneFound more={next !== null} /> : <NoListeners at={at} />}
            columns={{
              Select: at.may('operator', 'pause')
                ? ({ listenerId, hookUrl, status }) =>
                    status !== 'ended' && (
                      <input
                        type="checkbox"
                        name="ids"
                        value={listenerId}
                        form="selection"
                        aria-label={`Select ${hookUrl}`}
                      />
                    )
                : undefined,
              Listener: {
                show: ({ listenerId, hookUrl, description, userId, ...listener }) => (
                  <>
                    <HookUrl url={hookUrl} href={at.url(`/listeners/${listenerId}`)} />
                    <p class="muted small two-lines" title={description ?? undefined}>
                      {description ?? `user ${userId}`}
                      {listener.status !== 'ended' && <AgentTerm {...listener} />}
                    </p>
                  </>
                ),
                wide: true,
              },
              Organisation:
                at.caller.orgId === null
                  ? ({ orgId }) => <Id value={orgId} href={at.url('/organisations/show', { orgId })} />
                  : undefined,
              Type: ({ subscriptionType }) => <code>{subscriptionType}</code>,
              State: (listener) => <StateBadge {...listener} />,
              'Last error': ({ status, health: { lastFailure, failures } }) =>
                lastFailure && status !== 'ended' ? `${failureText(lastFailure)} (${numberText(failures)})` : null,
              Since: { show: 'since', relative: true },
            }}
          />
          <Pager next={next} />
        </div>
      </>
    ),
  };
}

/** Searches by index for a whole URL, else as a part of URLs. */
async function search(at: PageRequest, { orgId, state, url, after }: Filters) {
  const body = { orgId, state: stateOf(state), limit: pageSize, after };
  if (url !== undefined && after === undefined && /^https?:\/\/[^/]+\/./i.test(url) && URL.canParse(url)) {
    const whole = await at.call(searchListenersRoute, { body: { ...body, hookUrl: url } });
    if (whole.items.length > 0) return whole;
  }
  return at.call(searchListenersRoute, { body: { ...body, urlPart: url } });
}

const SearchBar = ({ at, filters }: { at: PageRequest; filters: Filters }) => (
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
      <RouteField
        name="state"
        schema={searchListenersRoute.body?.shape.state as z.ZodType}
        text={{ label: 'State', choices: stateNames, value: () => stateOf(filters.state) ?? '' }}
        item={undefined}
        at={at}
        isFilter
      />
      <div class="filter-buttons">
        <button type="submit">Search</button>
        {isFiltered(filters) && <a href={at.url('/listeners')}>Clear</a>}
      </div>
    </form>
  </search>
);

/** Instead of the table, where a search has found none. */
const NoneFound = ({ more }: { more: boolean }) => (
  <Empty title={more ? 'None so far' : 'No listeners match'}>
    <p>{more ? 'There are more listeners to search.' : 'Search for less of the URL, or in another state.'}</p>
  </Empty>
);

/** Instead of the table, where no listener is registered. */
const NoListeners = ({ at }: { at: PageRequest }) => (
  <Empty title="No listeners are registered">
    <p>A platform registers one when a user switches on an automation.{at.caller.orgId === null && ' To try it:'}</p>
    {at.caller.orgId === null && <Copyable text={at.commands.subscribe} />}
  </Empty>
);
