import { redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { explainFlowEventRoute } from '../../../admin/api/contracts/explanation.js';
import { showFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Facts, Id, Json } from '../../components/card.js';
import { Confirm } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { countText, numberText, sentence, TextWithTimes, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { deliveryHref, type HookUrls, hookUrlsOf, listenerHref } from '../deliveries/delivery-table.js';
import { findObstacles } from '../deliveries/obstacles.js';
import { namedOrganisation, organisationOf } from '../organisation.js';

type FlowEvent = RouteAnswer<typeof showFlowEventRoute>;
type Explanation = RouteAnswer<typeof explainFlowEventRoute>;
type ExplainedListener = Explanation['items'][number];

const listenersPerPage = 50;
/** Explaining a listener takes about a millisecond of this process. */
const maxExplained = 1_000;

/** `/flow-events/show?orgId=&id=`: content, and the outcome for each listener, with the reason. */
export function flowEventPage(site: Site): void {
  const live = site.live('/flow-events/show', {
    everyMs: 3_000,
    parts: async (at) => ({ listeners: await readListeners(at) }),
  });

  redeliverPages(site);
  site.notices({
    'flow-event-published': 'The flow event is published.',
    'flow-event-redelivered': (count = 0) =>
      `${countText(count, 'delivery', 'deliveries')} of it ${count === 1 ? 'is' : 'are'} due now. Those of paused and removed listeners stay.`,
  });

  site.get('/flow-events/show', async (at) => {
    const { orgId, id } = chosen(at);
    const event = await at.call(showFlowEventRoute, { params: { eventId: id }, query: { orgId } });
    const parts = await live(at);
    return {
      title: event.type,
      section: '/flow-events',
      lead: <Id value={event.eventId} />,
      trail: [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
      actions: (
        <>
          {at.may('operator', 'redeliver') && (
            <a class="button" href={at.url('/flow-events/redeliver', { ...namedOrganisation(at), id: event.eventId })}>
              Send again to all
            </a>
          )}
          <a class="button" href={at.url('/deliveries', { ...namedOrganisation(at), eventId: event.eventId })}>
            Deliveries
          </a>
        </>
      ),
      live: parts,
      content: (
        <>
          {parts.part('listeners')}
          <Card title="Content">
            <Json value={event.data} />
          </Card>
          <About event={event} />
        </>
      ),
    };
  });
}

/** `/flow-events/redeliver?orgId=&id=`: all deliveries of a flow event again. */
function redeliverPages(site: Site): void {
  site.form('/flow-events/redeliver', redeliverDeliveriesRoute, async (at) => {
    const { orgId, id } = chosen(at);
    const back = at.url('/flow-events/show', { ...namedOrganisation(at), id });
    const { listeners, isAll } = await explainAll(at, orgId, id);
    const [reached, paused] = [listeners.filter(hasDelivery), await findObstacles(at, orgId)];
    const held = reached.filter(({ listenerId }) => paused.get(listenerId) === 'paused').length;
    const number = `${countText(reached.length, 'listener')}${isAll ? '' : ' or more'}`;
    return {
      title: 'Send the flow event again?',
      section: '/flow-events',
      trail: [{ href: back, text: id }],
      content: (
        <Confirm
          label="Send again to all"
          cancel={back}
          hidden={{ ...namedOrganisation(at), id }}
          consequences={[
            `${number} ${reached.length === 1 ? 'has a delivery of it and gets it' : 'have a delivery of it and get it'} again, also if it was accepted before.`,
            ...(held > 0
              ? [
                  `Of these, ${countText(held, 'listener')} ${held === 1 ? 'is' : 'are'} paused and ${held === 1 ? 'gets' : 'get'} nothing.`,
                ]
              : []),
            'The webhook-id stays the same, by which receivers recognise a repetition.',
            'Listeners that did not match get nothing.',
          ]}
        />
      ),
    };
  });
  site.post('/flow-events/redeliver', async (at) => {
    const { orgId, id } = chosen(at);
    const states = ['waiting', 'succeeded', 'exhausted', 'held'] as const;
    let redelivered = 0;
    let after: string | undefined;
    do {
      const body = { orgId, eventId: id, states: [...states], limit: 1_000, after };
      const answer = await at.call(redeliverDeliveriesRoute, { body });
      redelivered += answer.redelivered;
      after = answer.next ?? undefined;
    } while (after !== undefined);
    const notice = `flow-event-redelivered.${redelivered}`;
    return redirectTo(at, '/flow-events/show', { ...namedOrganisation(at), id, notice });
  });
}

const chosen = (at: PageRequest) => ({
  orgId: organisationOf(at) ?? '',
  id: at.query.text('id') ?? at.form.text('id') ?? '',
});

const About = ({ event }: { event: FlowEvent }) => (
  <Card title="Flow event">
    <Facts
      facts={[
        ['Organisation', event.orgId],
        ['Flow', <code key="flow">{event.flowId}</code>],
        ['Occurred', <Time key="at" at={event.timestamp} />],
        ['Recorded', <Time key="recorded" at={event.recordedAt} />],
        ['Published by', event.publisherName ?? event.publishedBy ?? 'a producer that appended it'],
        ['CloudEvent', event.cloudEvent && <Json key="cloudEvent" value={event.cloudEvent} />],
        ['ID in the store', <code key="id">{event.storeEventId}</code>],
        [
          'Stream',
          <code key="stream">
            {event.stream} @ {event.revision}
          </code>,
        ],
        ['Position', event.position],
      ]}
    />
  </Card>
);

async function readListeners(at: PageRequest) {
  const { orgId, id } = chosen(at);
  const [{ listeners, isAll }, names] = await Promise.all([explainAll(at, orgId, id), hookUrlsOf(at, orgId)]);
  if (listeners.length === 0) {
    return (
      <Empty title="The organisation has no listeners">
        <p>A listener is registered by the platform of a user, when the user switches on an automation.</p>
      </Empty>
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
  const table = (caption: string, rows: readonly ExplainedListener[]) => (
    <ListenerTable at={at} orgId={orgId} names={names} caption={caption} rows={rows} />
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
  let after: string | undefined;
  do {
    const body = { orgId, limit: maxExplained - found.length, after };
    const { items, next } = await at.call(explainFlowEventRoute, { params: { eventId }, body });
    found.push(...items);
    after = next ?? undefined;
  } while (after !== undefined && found.length < maxExplained);
  const listeners = found.toSorted((one, other) => urgency(one) - urgency(other));
  return { listeners, isAll: after === undefined };
}

const isDelivered = ({ outcome }: ExplainedListener): boolean => outcome === 'delivered';
const hasDelivery = ({ deliveries }: ExplainedListener): boolean => deliveries.length > 0;

const ListenerTable = ({
  at,
  orgId,
  names,
  caption,
  rows,
}: {
  at: PageRequest;
  orgId: string;
  names: HookUrls;
  caption: string;
  rows: readonly ExplainedListener[];
}) => (
  <Table
    caption={caption}
    rows={rows}
    keyOf={({ listenerId }) => listenerId}
    empty={null}
    columns={[
      {
        head: 'Listener',
        wide: true,
        cell: ({ hookUrl, listenerId }) => (
          <Id value={names.get(listenerId) ?? hookUrl} href={listenerHref(at, listenerId)} />
        ),
      },
      {
        head: 'Outcome',
        cell: ({ outcome }) => <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].text}</Badge>,
      },
      { head: 'Why', cell: ({ because }) => <TextWithTimes text={sentence(because)} />, wide: true },
      { head: 'Deliveries', cell: (listener) => <Deliveries at={at} orgId={orgId} listener={listener} /> },
    ]}
  />
);

/** Rank in this order: failed, held, waiting, delivered, others. */
const urgency = ({ outcome }: ExplainedListener): number => {
  const order: readonly Tone[] = ['bad', 'warn', 'info', 'good', 'neutral'];
  return order.indexOf(outcomes[outcome].tone);
};

/** The number of listeners with each outcome. */
function Outcomes({ listeners }: { listeners: readonly ExplainedListener[] }) {
  const counts = new Map<ExplainedListener['outcome'], number>();
  for (const { outcome } of listeners) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return (
    <>
      {[...counts].map(([outcome, count]) => (
        <Badge key={outcome} tone={outcomes[outcome].tone}>
          {`${outcomes[outcome].text}: ${numberText(count)}`}
        </Badge>
      ))}
    </>
  );
}

/** Deliveries of the flow event itself, then of its replays. */
const Deliveries = ({
  at,
  orgId,
  listener: { deliveries },
}: {
  at: PageRequest;
  orgId: string;
  listener: ExplainedListener;
}) =>
  deliveries.length === 0 ? (
    <span class="muted">–</span>
  ) : (
    <ul>
      {deliveries.map(({ id, replay, attempts }) => (
        <li key={id}>
          <a class="nowrap" href={deliveryHref(at, { id, orgId })}>
            {replay === null ? 'Delivery' : 'Replay'}, {attempts.length}{' '}
            {attempts.length === 1 ? 'attempt' : 'attempts'}
          </a>
        </li>
      ))}
    </ul>
  );

const outcomes: Readonly<Record<ExplainedListener['outcome'], { tone: Tone; text: string }>> = {
  delivered: { tone: 'good', text: 'Delivered' },
  waiting: { tone: 'info', text: 'Waiting' },
  held: { tone: 'warn', text: 'Held' },
  refused: { tone: 'bad', text: 'Refused' },
  'dead-letter': { tone: 'bad', text: 'Dead letter' },
  cancelled: { tone: 'neutral', text: 'Cancelled' },
  'not-subscribed': { tone: 'neutral', text: 'Not subscribed' },
  'type-mismatch': { tone: 'neutral', text: 'Another type' },
  'filter-mismatch': { tone: 'neutral', text: 'Filtered out' },
  'not-handed-over': { tone: 'info', text: 'Not handed over' },
  purged: { tone: 'neutral', text: 'Forgotten' },
};
