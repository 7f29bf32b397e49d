import { redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { explainFlowEventRoute } from '../../../admin/api/contracts/explanation.js';
import { showFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Id, Json } from '../../../site/components/card.js';
import { FactsOf, ListenerLink } from '../../../site/components/shown.js';
import { type Columns, Pager, Table } from '../../../site/components/table.js';
import { countText, numberText, sentence, TextWithTimes, Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { namedOrganisation, organisationOf, type PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { deliveryHref, type HookUrls, hookUrlsOf } from '../deliveries/delivery-table.js';
import { findObstacles } from '../deliveries/obstacles.js';
import { eachPage } from '../each-page.js';

type FlowEvent = RouteAnswer<typeof showFlowEventRoute>;
type Explanation = RouteAnswer<typeof explainFlowEventRoute>;
type ExplainedListener = Explanation['items'][number];

const listenersPerPage = 50;
/** Explaining a listener takes about a millisecond of this process. */
const maxExplained = 1_000;

/** `/flow-events/show?orgId=&id=`: content, and the outcome for each listener, with the reason. */
export function flowEventPage(site: Site): void {
  const sendAgain = sendAgainAction(site);
  livePage(site, '/flow-events/show', {
    everyMs: 3_000,
    parts: async (at) => ({ listeners: await readListeners(at) }),
    async shows(at) {
      const { orgId, id } = chosen(at);
      const event = await at.call(showFlowEventRoute, { params: { eventId: id }, query: { orgId } });
      return {
        title: event.type,
        lead: <Id value={event.eventId} />,
        trail: [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
        actions: (
          <>
            {sendAgain.button(at, { ...namedOrganisation(at), id: event.eventId })}
            <a class="button" href={at.url('/deliveries', { ...namedOrganisation(at), eventId: event.eventId })}>
              Deliveries
            </a>
          </>
        ),
        below: (
          <>
            <Card title="Content">
              <Json value={event.data} />
            </Card>
            <About event={event} />
          </>
        ),
      };
    },
  });
}

const redelivered = ['waiting', 'succeeded', 'exhausted', 'held'] as const;

/** `/flow-events/redeliver?orgId=&id=`: all deliveries of a flow event again. */
const sendAgainAction = (site: Site) =>
  routeAction(site, '/flow-events/redeliver', redeliverDeliveriesRoute, {
    label: 'Send again to all',
    carries: ['orgId', 'id'],
    title: 'Send the flow event again?',
    above: (at) => ({
      href: at.url('/flow-events/show', { ...namedOrganisation(at), id: chosen(at).id }),
      text: chosen(at).id,
    }),
    async read(at) {
      const { orgId, id } = chosen(at);
      const { listeners, isAll } = await explainAll(at, orgId, id);
      const [reached, obstacles] = [listeners.filter(hasDelivery), await findObstacles(at, orgId)];
      const held = reached.filter(({ listenerId }) => obstacles.get(listenerId) === 'paused').length;
      return { count: reached.length, isAll, held };
    },
    consequences: ({ count, isAll, held }) => [
      `${countText(count, 'listener')}${isAll ? '' : ' or more'} ${count === 1 ? 'has a delivery of it and gets it' : 'have a delivery of it and get it'} again, also if it was accepted before.`,
      ...(held > 0
        ? [
            `Of these, ${countText(held, 'listener')} ${held === 1 ? 'is' : 'are'} paused and ${held === 1 ? 'gets' : 'get'} nothing.`,
          ]
        : []),
      'The webhook-id stays the same, by which receivers recognise a repetition.',
      'Listeners that did not match get nothing.',
    ],
    async runs(at) {
      const { orgId, id } = chosen(at);
      let count = 0;
      const body = { orgId, eventId: id, states: [...redelivered], limit: 1_000 };
      const pages = eachPage((after) => at.call(redeliverDeliveriesRoute, { body: { ...body, after } }));
      for await (const answer of pages) count += answer.redelivered;
      return count;
    },
    done: (count = 0) =>
      `${countText(count, 'delivery', 'deliveries')} of it ${count === 1 ? 'is' : 'are'} due now. Those of paused and removed listeners stay.`,
    answers: (count) => ({ notice: `flow-events-redeliver.${count}` }),
  });

const chosen = (at: PageRequest) => ({
  orgId: organisationOf(at) ?? '',
  id: at.query.text('id') ?? at.form.text('id') ?? '',
});

const About = ({ event }: { event: FlowEvent }) => (
  <Card title="Flow event">
    <FactsOf
      of={event}
      facts={{
        Organisation: ({ orgId }) => orgId,
        Flow: ({ flowId }) => <code>{flowId}</code>,
        Occurred: ({ timestamp }) => <Time at={timestamp} />,
        Recorded: 'recordedAt',
        'Published by': ({ publisherName, publishedBy }) =>
          publisherName ?? publishedBy ?? 'a producer that appended it',
        CloudEvent: ({ cloudEvent }) => cloudEvent && <Json value={cloudEvent} />,
        'ID in the store': ({ storeEventId }) => <code>{storeEventId}</code>,
        Stream: ({ stream, revision }) => (
          <code>
            {stream} @ {revision}
          </code>
        ),
        Position: 'position',
      }}
    />
  </Card>
);

async function readListeners(at: PageRequest) {
  const { orgId, id } = chosen(at);
  const [{ listeners, isAll }, names] = await Promise.all([explainAll(at, orgId, id), hookUrlsOf(at, orgId)]);
  if (listeners.length === 0) {
    return (
      <Empty
        title="The organisation has no listeners"
        text="A listener is registered by the platform of a user, when the user switches on an automation."
      />
    );
  }
  const begin = Math.max(0, Math.trunc(Number(at.query.text('after') ?? 0)) || 0);
  const end = begin + listenersPerPage;
  const page = listeners.slice(begin, end);
  const open = page.filter((listener) => !isDelivered(listener) && hasDelivery(listener));
  const collapsed = [
    ['got it', isDelivered],
    ['did not get it', (listener: ExplainedListener) => !hasDelivery(listener)],
  ] as const;
  const columns = listenerColumns(at, orgId, names);
  const table = (caption: string, rows: readonly ExplainedListener[]) => (
    <Table caption={caption} rows={rows} keyOf={({ listenerId }) => listenerId} columns={columns} />
  );
  return (
    <Card title="Listeners, failures first" actions={<Outcomes listeners={listeners} />}>
      {!isAll && (
        <p class="muted">
          These are the first {numberText(maxExplained)} listeners of the organisation: “Deliveries” shows all that the
          flow event has reached.
        </p>
      )}
      {table('Listeners that the flow event has not reached, and why', open)}
      {collapsed.map(([text, isOfGroup]) => {
        const rows = page.filter(isOfGroup);
        const all = listeners.filter(isOfGroup).length;
        return (
          rows.length > 0 && (
            <details key={text} open={open.length === 0 && rows[0] === page[0]}>
              <summary>
                {rows.length === all ? numberText(all) : `${numberText(rows.length)} of ${numberText(all)} that`} {text}
              </summary>
              {table(`Listeners that ${text}`, rows)}
            </details>
          )
        );
      })}
      <Pager next={end < listeners.length ? String(end) : null} />
    </Card>
  );
}

/** All listeners of the organisation, up to a maximum, the most urgent first: a page of them alone hides a failure behind it. */
async function explainAll(at: PageRequest, orgId: string, eventId: string) {
  const found: ExplainedListener[] = [];
  const sorted = () => found.toSorted((one, other) => urgency(one) - urgency(other));
  const read = (after: string | undefined) =>
    at.call(explainFlowEventRoute, { params: { eventId }, body: { orgId, limit: maxExplained - found.length, after } });
  for await (const { items, next } of eachPage(read)) {
    found.push(...items);
    if (found.length >= maxExplained) return { listeners: sorted(), isAll: next === null };
  }
  return { listeners: sorted(), isAll: true };
}

const isDelivered = ({ outcome }: ExplainedListener): boolean => outcome === 'delivered';
const hasDelivery = ({ deliveries }: ExplainedListener): boolean => deliveries.length > 0;

const listenerColumns = (at: PageRequest, orgId: string, names: HookUrls): Columns<ExplainedListener> => ({
  Listener: {
    show: ({ hookUrl, listenerId }) => <ListenerLink listenerId={listenerId} name={names.get(listenerId) ?? hookUrl} />,
    wide: true,
  },
  Outcome: ({ outcome }) => <Badge tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Badge>,
  Why: { show: ({ because }) => <TextWithTimes text={sentence(because)} />, wide: true },
  // Of the flow event itself, then of its replays.
  Deliveries: ({ deliveries }) =>
    deliveries.length === 0 ? null : (
      <ul>
        {deliveries.map(({ id, replay, attempts }) => (
          <li key={id}>
            <a class="nowrap" href={deliveryHref(at, { id, orgId })}>
              {replay === null ? 'Delivery' : 'Replay'}, {countText(attempts.length, 'attempt')}
            </a>
          </li>
        ))}
      </ul>
    ),
});

/** Rank in this order: failed, held, waiting, delivered, others. */
const urgency = ({ outcome }: ExplainedListener): number => {
  const order: readonly Tone[] = ['bad', 'warn', 'info', 'good', 'neutral'];
  return order.indexOf(outcomes[outcome][0]);
};

/** The number of listeners with each outcome. */
function Outcomes({ listeners }: { listeners: readonly ExplainedListener[] }) {
  const counts = new Map<ExplainedListener['outcome'], number>();
  for (const { outcome } of listeners) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return (
    <>
      {[...counts].map(([outcome, count]) => (
        <Badge key={outcome} tone={outcomes[outcome][0]}>
          {`${outcomes[outcome][1]}: ${numberText(count)}`}
        </Badge>
      ))}
    </>
  );
}

const outcomes: Readonly<Record<ExplainedListener['outcome'], readonly [Tone, text: string]>> = {
  delivered: ['good', 'Delivered'],
  waiting: ['info', 'Waiting'],
  held: ['warn', 'Held'],
  refused: ['bad', 'Refused'],
  'dead-letter': ['bad', 'Dead letter'],
  cancelled: ['neutral', 'Cancelled'],
  'not-subscribed': ['neutral', 'Not subscribed'],
  'type-mismatch': ['neutral', 'Another type'],
  'filter-mismatch': ['neutral', 'Filtered out'],
  'not-handed-over': ['info', 'Not handed over'],
  purged: ['neutral', 'Forgotten'],
};
