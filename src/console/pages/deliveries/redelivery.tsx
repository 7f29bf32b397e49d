import { listDeliveriesRoute, redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { Forbidden } from '../../../http/errors.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, Empty } from '../../components/card.js';
import { ActionForm } from '../../components/form.js';
import { Pager } from '../../components/table.js';
import { numberText, upperFirst } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import { namedOrganisation, organisationOf } from '../organisation.js';
import { deliveryQuery, filterOf, filterTexts } from './delivery-filter.js';
import { type DeliveryState, type ListedDelivery, stateTexts } from './delivery-state.js';
import { DeliveryTable, type HookUrls, hookUrlsOf } from './delivery-table.js';

/** Maximum of one form, and of each of its requests, so that its answer does not take long. */
const most = 10_000;
const atOnce = 1_000;
const pageSize = 100;

const path = '/deliveries/redeliver';

/** `/deliveries/redeliver`: selected deliveries, or all that match the filter. */
export function redeliveryPages(site: Site): void {
  site.notices({
    redelivered: 'The deliveries are due now.',
    'redelivered-some':
      'Deliveries are due now, except those of paused or removed listeners, and those that have changed meanwhile.',
    'redelivered-none':
      'Nothing was redelivered: the listeners are paused or removed, or the deliveries have changed meanwhile.',
    'redelivered-part':
      'The first 10,000 deliveries are due now. More match the filter: redeliver again for the next ones.',
  });

  site.get(path, async (at) => {
    if (!at.may('operator', 'redeliver')) throw new Forbidden('redelivery requires the role operator');
    return redeliveryView(at);
  });

  site.post(path, async (at) => {
    const ids = at.form.all('ids');
    const notice = at.form.text('all') === 'true' ? await redeliverAll(at) : await redeliverSelected(at, ids);
    const { listenerId, eventId } = filterOf(at);
    return redirectTo(at, '/deliveries', { ...namedOrganisation(at), listenerId, eventId, notice });
  });
}

async function redeliveryView(at: PageRequest): Promise<PageView> {
  const count = await countMatching(at);
  const page = await readPage(at);
  const hookUrls = page.items.length === 0 ? new Map() : await hookUrlsOf(at, organisationOf(at) ?? '');
  return {
    title: 'Redeliver deliveries',
    section: '/deliveries',
    lead: `Of ${[organisationOf(at), ...filterTexts(at)].join(', ')}: deliveries in the state “${stateTexts[stateOf(at)]}”.`,
    trail: [{ href: `${at.url('/deliveries')}${at.search}`, text: 'Deliveries' }],
    content: (
      <>
        <AllThatMatch at={at} count={count} />
        <Selection at={at} page={page} hookUrls={hookUrls} />
      </>
    ),
  };
}

/** Default: dead letters, so that no delivered event is sent again by mistake. */
const stateOf = (at: PageRequest): DeliveryState =>
  (at.query.text('state') as DeliveryState | undefined) ?? 'exhausted'; // the API checks it

const query = (at: PageRequest) => ({ ...deliveryQuery(at, organisationOf(at) ?? ''), state: stateOf(at) });

async function readPage(at: PageRequest) {
  const after = at.query.text('after');
  return at.call(listDeliveriesRoute, {
    query: { ...query(at), limit: String(pageSize), after },
  });
}

/** Number of matches, up to the maximum of one form; `more`: there may be more. The search is bounded. */
async function countMatching(at: PageRequest): Promise<{ count: number; more: boolean }> {
  let count = 0;
  let examined = 0;
  let after: string | undefined;
  do {
    const { items, next } = await at.call(listDeliveriesRoute, {
      query: { ...query(at), limit: String(atOnce), after },
    });
    count += items.length;
    examined += atOnce;
    after = next ?? undefined;
  } while (after !== undefined && examined < most);
  return { count, more: after !== undefined };
}

async function redeliverAll(at: PageRequest): Promise<string> {
  const { state, ...filter } = query(at);
  let redelivered = 0;
  let leftOut = 0;
  let examined = 0;
  let after: string | undefined;
  do {
    const answer = await at.call(redeliverDeliveriesRoute, {
      body: { ...filter, states: [state], limit: atOnce, after },
    });
    redelivered += answer.redelivered;
    leftOut += answer.leftOut ?? 0;
    examined += atOnce;
    after = answer.next ?? undefined;
  } while (after !== undefined && examined < most);
  return after === undefined ? noticeOf(redelivered, leftOut) : 'redelivered-part';
}

async function redeliverSelected(at: PageRequest, ids: readonly string[]): Promise<string> {
  if (ids.length === 0) throw new InvalidRequest('select deliveries first');
  const { redelivered, leftOut = 0 } = await at.call(redeliverDeliveriesRoute, {
    body: { orgId: organisationOf(at) ?? '', ids: [...ids] },
  });
  return noticeOf(redelivered, leftOut);
}

function noticeOf(redelivered: number, leftOut: number): string {
  if (redelivered === 0) return 'redelivered-none';
  return leftOut === 0 ? 'redelivered' : 'redelivered-some';
}

const action = (at: PageRequest): string => `${at.url(path)}${at.search}`;
const backHref = (at: PageRequest): string => `${at.url('/deliveries')}${at.search}`;

function AllThatMatch({ at, count: { count, more } }: { at: PageRequest; count: { count: number; more: boolean } }) {
  if (count === 0) return null;
  const number = `${more ? 'the first ' : ''}${numberText(count)} ${count === 1 ? 'delivery' : 'deliveries'}`;
  return (
    <Card title={`All that match: ${numberText(count)}${more ? ' or more' : ''}`}>
      <ul class="consequences">
        <li>
          {count === 1
            ? 'It becomes due now, and its listener receives it again.'
            : `${upperFirst(number)} become due now, and their listeners receive them again.`}
        </li>
        <li>
          The numbers of the attempts continue, and the <code>webhook-id</code> stays the same, by which receivers
          recognise a repetition.
        </li>
        <li>Deliveries whose listeners are paused or removed stay as they are.</li>
      </ul>
      <div class="buttons">
        <ActionForm action={action(at)} label={`Redeliver ${number}`} hidden={{ all: 'true' }} tone="primary" />
        <a class="button" href={backHref(at)}>
          Cancel
        </a>
      </div>
    </Card>
  );
}

function Selection({
  at,
  page: { items, next },
  hookUrls,
}: {
  at: PageRequest;
  hookUrls: HookUrls;
  page: { items: readonly ListedDelivery[]; next: string | null };
}) {
  if (items.length === 0 && next === null) {
    return (
      <Empty title="No delivery matches">
        <p>
          Without a state in the filter, dead letters are redelivered. <a href={backHref(at)}>Change the filter</a>
        </p>
      </Empty>
    );
  }
  return (
    <Card title="Selected deliveries">
      <form id="selection" method="post" action={action(at)}>
        <button type="submit">Redeliver selected</button>
      </form>
      <DeliveryTable
        at={at}
        deliveries={items}
        hookUrls={hookUrls}
        empty={null}
        first={{
          head: 'Select',
          cell: ({ id, eventType }) => (
            <input type="checkbox" name="ids" value={id} form="selection" aria-label={`Select ${eventType} ${id}`} />
          ),
        }}
      />
      <Pager next={next} />
    </Card>
  );
}
