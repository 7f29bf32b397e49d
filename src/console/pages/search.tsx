import type { ComponentChildren } from 'preact';
import { listFlowEventsRoute, showFlowEventRoute } from '../../admin/api/contracts/flow-events.js';
import { searchListenersRoute, showListenerRoute } from '../../admin/api/contracts/listener-queries.js';
import { listOrganisationsRoute } from '../../admin/api/contracts/organisations.js';
import { isRefusal } from '../../http/errors.js';
import { inBatches } from '../../kernel/in-batches.js';
import { Card, Empty, Id } from '../../site/components/card.js';
import { Field, FilterBar, Results } from '../../site/components/form.js';
import { Pager } from '../../site/components/table.js';
import { Time } from '../../site/components/time.js';
import { HookUrl } from '../../site/components/url.js';
import type { PageRequest } from '../../site/page-request.js';
import { redirectTo, type Subject } from '../../site/page-view.js';
import { flowEventHref } from './deliveries/delivery-table.js';
import { termQuery } from './listeners/listener-list.js';

const shown = 10;
/** Organisations whose flow events one page searches. */
const maxOrganisations = 200;
const concurrency = 8;

/** `/search?term=`: listeners, flow events and organisations. A term with a URL's path is searched among the listeners. */
export const searchPages: Subject = (site) => {
  site.post('/search', async (at) => {
    const term = at.form.text('term')?.trim();
    const query = termQuery(at, term);
    return 'search' in query ? redirectTo(at, '/listeners', query) : redirectTo(at, '/search', { term });
  });

  site.get('/search', async (at) => {
    const term = at.query.text('term')?.trim();
    return {
      title: 'Search',
      lead: 'Listeners by ID or a part of the URL; flow events by the beginning of an ID, a flowId or a searchable value; organisations.',
      content: (
        <>
          <FilterBar submit="Search">
            <Field label="Search for" name="term" type="search" maxLength={256} />
          </FilterBar>
          <Results>{term === undefined || term === '' ? null : await found(at, term)}</Results>
        </>
      ),
    };
  });
};

async function found(at: PageRequest, term: string) {
  const isFirst = at.query.text('after') === undefined;
  const [listeners, { items: organisations }, searched] = await Promise.all([
    isFirst ? listenersOf(at, term) : [],
    isFirst ? organisationsOf(at, { prefix: term, limit: shown }) : nothing,
    organisationsOf(at, { after: at.query.text('after'), limit: maxOrganisations }),
  ]);
  const events = await eventsOf(at, term, searched.items);
  return (
    <>
      {listeners.length + organisations.length + events.length === 0 && (
        <Empty title={searched.next === null ? 'Nothing was found' : 'Nothing was found so far'} />
      )}
      <Found
        title="Flow events"
        items={events.map((event) => (
          <>
            <Id value={event.eventId} href={flowEventHref(at, event)} /> <code>{event.type}</code>{' '}
            <span class="muted">
              {at.caller.orgId === null && `${event.orgId}, `}
              {event.recordedAt && <Time at={event.recordedAt} />}
            </span>
          </>
        ))}
      />
      <Found
        title="Listeners"
        actions={<a href={at.url('/listeners', { url: term })}>All that match</a>}
        items={listeners.map(({ listenerId, hookUrl, orgId, description }) => (
          <>
            <HookUrl url={hookUrl} href={at.url(`/listeners/${listenerId}`)} />{' '}
            <span class="muted">{[orgId, description].filter(Boolean).join(', ')}</span>
          </>
        ))}
      />
      <Found
        title="Organisations"
        items={organisations.map((orgId) => <a href={at.url('/organisations/show', { orgId })}>{orgId}</a>)}
      />
      {searched.next !== null && (
        <p class="muted">
          The flow events of {maxOrganisations} organisations were searched: the next page has others.
        </p>
      )}
      <Pager next={searched.next} />
    </>
  );
}

type FoundProps = { title: string; actions?: ComponentChildren; items: readonly ComponentChildren[] };

const Found = ({ items, ...card }: FoundProps) =>
  items.length === 0 ? null : (
    <Card {...card}>
      <ul class="found">
        {items.map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
    </Card>
  );

/** Undefined if there is none, or it may not be read. */
async function unlessRefused<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

async function listenersOf(at: PageRequest, term: string) {
  const named = await unlessRefused(at.call(showListenerRoute, { params: { listenerId: term } }));
  const matching = await unlessRefused(at.call(searchListenersRoute, { body: { urlPart: term, limit: shown } }));
  return named ? [named] : (matching?.items ?? []);
}

const nothing = { items: [], next: null };

async function organisationsOf(
  at: PageRequest,
  { limit, ...query }: { prefix?: string; after?: string; limit: number },
): Promise<{ items: readonly string[]; next: string | null }> {
  if (at.caller.orgId !== null) return nothing;
  const page = await unlessRefused(at.call(listOrganisationsRoute, { query: { ...query, limit: String(limit) } }));
  return page ? { items: page.items.map(({ orgId }) => orgId), next: page.next } : nothing;
}

/** Finds events by ID, flowId, a searchable value or the beginning of one; else by any other ID that the event store knows. */
async function eventsOf(at: PageRequest, find: string, ofService: readonly string[]) {
  const organisations = at.caller.orgId === null ? ofService : [at.caller.orgId];
  const inEach = <Found,>(look: (orgId: string) => Promise<Found>) =>
    inBatches(organisations, (orgId) => unlessRefused(look(orgId)), concurrency);
  const pages = await inEach((orgId) => at.call(listFlowEventsRoute, { query: { orgId, find, limit: String(shown) } }));
  const found = pages.flatMap((page) => page?.items ?? []);
  if (found.length > 0) return found.slice(0, shown);
  const others = await inEach((orgId) => at.call(showFlowEventRoute, { params: { eventId: find }, query: { orgId } }));
  return others.filter((event) => event !== undefined);
}
