import { explainFlowEventRoute } from '../../../admin/api/contracts/explanation.js';
import { showFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Facts, Id, Json } from '../../components/card.js';
import { Pager, Table } from '../../components/table.js';
import { TextWithTimes, Time, upperFirst } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import type { Site } from '../../page-view.js';
import { deliveryHref, listenerHref } from '../deliveries/delivery-table.js';
import { namedOrganisation, organisationOf } from '../organisation.js';

type FlowEvent = RouteAnswer<typeof showFlowEventRoute>;
type Explanation = RouteAnswer<typeof explainFlowEventRoute>;
type ExplainedListener = Explanation['items'][number];

const listenersPerPage = 50;

/** `/flow-events/show?orgId=&id=`: content, and the outcome for each listener, with the reason. */
export function flowEventPage(site: Site): void {
  const live = site.live('/flow-events/show', {
    everyMs: 3_000,
    parts: async (at) => ({ listeners: await readListeners(at) }),
  });

  site.notices({ 'flow-event-published': 'The flow event is published.' });

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
        <a class="button" href={at.url('/deliveries', { ...namedOrganisation(at), eventId: event.eventId })}>
          Deliveries
        </a>
      ),
      live: parts,
      content: (
        <>
          <About event={event} />
          {parts.part('listeners')}
          <Card title="Content">
            <Json value={event.data} />
          </Card>
        </>
      ),
    };
  });
}

const chosen = (at: PageRequest) => ({ orgId: organisationOf(at) ?? '', id: at.query.text('id') ?? '' });

const About = ({ event }: { readonly event: FlowEvent }) => (
  <Card title="Flow event">
    <Facts
      facts={[
        ['Organisation', event.orgId],
        ['Flow', <code key="flow">{event.flowId}</code>],
        ['Occurred', <Time key="at" at={event.timestamp} />],
        ['Recorded', <Time key="recorded" at={event.recordedAt} />],
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
  const after = at.query.text('after');
  const explanation = await at.call(explainFlowEventRoute, {
    params: { eventId: id },
    body: { orgId, limit: listenersPerPage, ...(after !== undefined && { after }) },
  });
  return (
    <Card title="Listeners">
      <Table
        caption="What each listener of the organisation got of the flow event, and why"
        rows={explanation.items}
        keyOf={({ listenerId }) => listenerId}
        empty={
          <Empty title="The organisation has no listeners">
            <p>A listener is registered by the platform of a user, when the user switches on an automation.</p>
          </Empty>
        }
        columns={[
          { head: 'Listener', cell: ({ hookUrl, listenerId }) => <a href={listenerHref(at, listenerId)}>{hookUrl}</a> },
          {
            head: 'Outcome',
            cell: ({ outcome }) => <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].text}</Badge>,
          },
          { head: 'Why', cell: ({ because }) => <TextWithTimes text={sentence(because)} />, wide: true },
          { head: 'Deliveries', cell: (listener) => <Deliveries at={at} orgId={orgId} listener={listener} /> },
        ]}
      />
      <Pager next={explanation.next} />
    </Card>
  );
}

/** Deliveries of the flow event itself, then of its replays. */
const Deliveries = ({
  at,
  orgId,
  listener: { deliveries },
}: {
  readonly at: PageRequest;
  readonly orgId: string;
  readonly listener: ExplainedListener;
}) =>
  deliveries.length === 0 ? (
    <span class="muted">–</span>
  ) : (
    <ul>
      {deliveries.map(({ id, replay, attempts }) => (
        <li key={id}>
          <a href={deliveryHref(at, { id, orgId })}>{replay === null ? 'Delivery' : 'Replay'}</a>{' '}
          <span class="muted">
            {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
          </span>
        </li>
      ))}
    </ul>
  );

const outcomes: Readonly<Record<ExplainedListener['outcome'], { readonly tone: Tone; readonly text: string }>> = {
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

const sentence = (text: string): string => `${upperFirst(text)}.`;
