import { listDeliveriesRoute, redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, Empty, Tabs } from '../../../site/components/card.js';
import { ActionForm, Form } from '../../../site/components/form.js';
import { Pager, Table } from '../../../site/components/table.js';
import { countText, numberText } from '../../../site/components/time.js';
import { namedOrganisation, organisationOf, type PageRequest } from '../../../site/page-request.js';
import { type PageView, redirectTo, type Site } from '../../../site/page-view.js';
import { eachPage } from '../each-page.js';

import { deliveryQuery, filterOf, filterTexts } from './delivery-filter.js';
import { type DeliveryState, type ListedDelivery, stateTexts } from './delivery-state.js';
import { deliveryTable, type HookUrls, hookUrlsOf } from './delivery-table.js';
import { findObstacles, type Obstacle } from './obstacles.js';

/** Maximum of each request of a form, and of its requests, so that its answer does not take long. */
const atOnce = 1_000;
const maxPages = 10;
const pageSize = 100;

const path = '/deliveries/redeliver';
const selectionPath = '/deliveries/redeliver-selected';

/** `/deliveries/redeliver`: selected deliveries, or all that match the filter in one state. */
export function redeliveryPages(site: Site): void {
  site.notices({
    redelivered: (count = 0, leftOut = 0) => {
      const isOne = leftOut === 1;
      const others = `${isOne ? 'Its listener is' : 'Their listeners are'} paused or removed, or ${isOne ? 'it has' : 'they have'} changed meanwhile.`;
      if (count === 0) return `Nothing was redelivered. ${leftOut === 0 ? 'No delivery matches any more.' : others}`;
      const due = `${deliveries(count)} ${count === 1 ? 'is' : 'are'} due now.`;
      return leftOut === 0 ? due : `${due} ${numberText(leftOut)} stayed. ${others}`;
    },
    'redelivered-part': (count = 0) =>
      `${deliveries(count)} are due now. More match the filter: redeliver again for the next ones.`,
  });

  site.form(path, redeliverDeliveriesRoute, redeliveryView);

  const answered = (at: PageRequest, notice: string) => {
    const { listenerId, eventId } = filterOf(at);
    return redirectTo(at, '/deliveries', { ...namedOrganisation(at), listenerId, eventId, notice });
  };
  site.post(path, async (at) => answered(at, await redeliverAll(at)));
  site.post(selectionPath, async (at) => answered(at, await redeliverSelected(at, at.form.all('ids'))), path);
}

const deliveries = (count: number): string => countText(count, 'delivery', 'deliveries');

async function redeliveryView(at: PageRequest): Promise<PageView> {
  const counts = await countByState(at);
  const state = stateOf(at) ?? inThisOrder.find((each) => counts.get(each) !== '0') ?? 'exhausted';
  const obstacles = await findObstacles(at, organisationOf(at) ?? '');
  const match = await countMatching(at, state, obstacles);
  const page = await readPage(at, state);
  const hookUrls = page.items.length === 0 ? new Map() : await hookUrlsOf(at, organisationOf(at) ?? '');
  return {
    title: 'Redeliver deliveries',
    lead: `Of ${[organisationOf(at), ...filterTexts(at)].join(', ')}: deliveries in the state “${stateTexts[state]}”.`,
    trail: [{ href: backHref(at), text: 'Deliveries' }],
    content: (
      <>
        <Tabs
          label="State"
          tabs={[...counts].map(([each, count]) => ({
            text: `${stateTexts[each]}: ${count}`,
            href: at.url(path, inState(at, each)),
            current: each === state,
          }))}
        />
        <AllThatMatch at={at} state={state} match={match} />
        <Selection at={at} state={state} page={page} hookUrls={hookUrls} />
      </>
    ),
  };
}

/** State of the filter; undefined: all. The API checks it. */
const stateOf = (at: PageRequest) => at.query.text('state') as DeliveryState | undefined;

/**
 * States that are offered without one in the filter: those that have not been delivered, since a delivered one is not sent again by
 * mistake.
 */
const inThisOrder = ['exhausted', 'waiting', 'held'] as const;

/** The filter of this page, in one state. */
const inState = (at: PageRequest, state: DeliveryState) => ({
  ...namedOrganisation(at),
  ...filterOf(at),
  state,
});

const query = (at: PageRequest, state: DeliveryState) => ({ ...deliveryQuery(at, organisationOf(at) ?? ''), state });

async function readPage(at: PageRequest, state: DeliveryState) {
  const after = at.query.text('after');
  return at.call(listDeliveriesRoute, { query: { ...query(at, state), limit: String(pageSize), after } });
}

/** Counts by state, as text: `0`, `17`, `1,000+`. */
async function countByState(at: PageRequest): Promise<ReadonlyMap<DeliveryState, string>> {
  const states = [...inThisOrder, 'succeeded', 'cancelled'] as const;
  const counts = await Promise.all(
    states.map(async (state) => {
      const counted = { ...query(at, state), limit: '1', counted: 'true' as const };
      const { total } = await at.call(listDeliveriesRoute, { query: counted });
      return [state, `${numberText(total?.count ?? 0)}${total?.isAll === false ? '+' : ''}`] as const;
    }),
  );
  return new Map(counts);
}

/** Numbers up to the maximum of one form; `more`: there may be more. The search is bounded. */
type Match = { count: number; more: boolean } & Readonly<Record<Obstacle, number>>;

async function countMatching(
  at: PageRequest,
  state: DeliveryState,
  obstacles: ReadonlyMap<string, Obstacle>,
): Promise<Match> {
  const match = { count: 0, paused: 0, circuit: 0, more: false };
  const page = { ...query(at, state), limit: String(atOnce) };
  const pages = eachPage((after) => at.call(listDeliveriesRoute, { query: { ...page, after } }), maxPages);
  for await (const { items, next } of pages) {
    match.count += items.length;
    match.more = next !== null;
    for (const { listenerId } of items) {
      const obstacle = obstacles.get(listenerId);
      if (obstacle) match[obstacle] += 1;
    }
  }
  return match;
}

async function redeliverAll(at: PageRequest): Promise<string> {
  const { state, ...filter } = query(at, stateOf(at) ?? 'exhausted');
  const body = { ...filter, states: [state], limit: atOnce };
  const sum = { redelivered: 0, leftOut: 0, isAll: true };
  const pages = eachPage((after) => at.call(redeliverDeliveriesRoute, { body: { ...body, after } }), maxPages);
  for await (const { redelivered, leftOut = 0, next } of pages) {
    sum.redelivered += redelivered;
    sum.leftOut += leftOut;
    sum.isAll = next === null;
  }
  return sum.isAll ? `redelivered.${sum.redelivered}.${sum.leftOut}` : `redelivered-part.${sum.redelivered}`;
}

async function redeliverSelected(at: PageRequest, ids: readonly string[]): Promise<string> {
  if (ids.length === 0) throw new InvalidRequest('nothing is selected: select deliveries first');
  const { redelivered, leftOut = 0 } = await at.call(redeliverDeliveriesRoute, {
    body: { orgId: organisationOf(at) ?? '', ids: [...ids] },
  });
  return `redelivered.${redelivered}.${leftOut}`;
}

const backHref = (at: PageRequest): string => `${at.url('/deliveries')}${at.search}`;

function AllThatMatch({ at, state, match }: { at: PageRequest; state: DeliveryState; match: Match }) {
  const { count, more, paused, circuit } = match;
  const due = count - paused;
  if (count === 0) return null;
  const listeners = (number: number) => (number === 1 ? 'whose listener has' : 'whose listeners have');
  return (
    <Card title={`All that match: ${numberText(count)}${more ? ' or more' : ''}`}>
      <ul class="consequences">
        {due > 0 && (
          <li>
            {`${more ? 'The first ' : ''}${deliveries(due)} ${due === 1 ? 'becomes' : 'become'} due now${circuit < due ? `, and ${due === 1 ? 'its listener receives it' : 'their listeners receive them'} again` : ''}.`}
          </li>
        )}
        {circuit > 0 && (
          <li>
            {`Among them ${circuit === 1 ? 'is' : 'are'} ${deliveries(circuit)} ${listeners(circuit)} an open circuit: nothing is sent before the circuit closes. “Try now” on the page of the listener closes it.`}
          </li>
        )}
        {paused > 0 && (
          <li>{`${deliveries(paused)} ${listeners(paused)} been paused ${paused === 1 ? 'stays' : 'stay'} as before.`}</li>
        )}
        <li>
          The numbers of the attempts continue, and the <code>webhook-id</code> stays the same, by which receivers
          recognise a repetition.
        </li>
        <li>Deliveries whose listeners are paused or removed stay as they are.</li>
      </ul>
      <div class="buttons">
        {due > 0 && (
          <ActionForm
            action={at.url(path, inState(at, state))}
            label={`Redeliver ${more ? 'the first ' : ''}${deliveries(due)}`}
            tone="primary"
          />
        )}
        <a class="button" href={backHref(at)}>
          Cancel
        </a>
      </div>
    </Card>
  );
}

function Selection({
  at,
  state,
  page: { items, next },
  hookUrls,
}: {
  at: PageRequest;
  state: DeliveryState;
  hookUrls: HookUrls;
  page: { items: readonly ListedDelivery[]; next: string | null };
}) {
  if (items.length === 0 && next === null) {
    return (
      <Empty title="No delivery matches">
        <p>
          Choose another state above, or <a href={backHref(at)}>change the filter</a>.
        </p>
      </Empty>
    );
  }
  const table = deliveryTable(at, hookUrls);
  return (
    <Card title="Selected deliveries">
      <Form id="selection" class="selection" action={at.url(selectionPath, inState(at, state))}>
        <button type="submit">Redeliver selected</button>
      </Form>
      <Table
        {...table}
        rows={items}
        columns={{
          Select: ({ id, eventType }) => (
            <input type="checkbox" name="ids" value={id} form="selection" aria-label={`Select ${eventType} ${id}`} />
          ),
          ...table.columns,
        }}
      />
      <Pager next={next} />
    </Card>
  );
}
