import { explainFlowEventRoute } from '../../../admin/api/contracts/explanation.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, CopyableJson, Facts, Id } from '../../../site/components/card.js';
import { Field } from '../../../site/components/form.js';
import { Table } from '../../../site/components/table.js';
import { durationText, TextWithTimes, Time, upperFirst } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { frameOf, type ListenerDetail, listenerOf } from './listener.js';

type Explanation = RouteAnswer<typeof explainFlowEventRoute>;
type ExplainedListener = Explanation['items'][number];

const outcomes: Readonly<Record<ExplainedListener['outcome'], readonly [tone: Tone, text: string]>> = {
  delivered: ['good', 'It got the event'],
  waiting: ['info', 'It will get the event'],
  held: ['warn', 'The event is held for it'],
  refused: ['bad', 'It refused the event'],
  'dead-letter': ['bad', 'It did not get the event'],
  cancelled: ['neutral', 'The delivery was cancelled'],
  'not-subscribed': ['neutral', 'It was not registered'],
  'type-mismatch': ['neutral', 'It was not subscribed to the type'],
  'filter-mismatch': ['neutral', 'Its filter excluded the event'],
  'not-handed-over': ['info', 'The event was not handed over'],
  purged: ['neutral', 'The delivery log has forgotten it'],
};

/** `/listeners/{listenerId}/explain?eventId=`: why a listener got a flow event, or did not. */
export function explainPage(site: Site): void {
  site.get('/listeners/:listenerId/explain', async (at) => {
    const listener = await listenerOf(at);
    const { orgId, listenerId } = listener;
    const eventId = at.query.text('eventId')?.trim();
    const explanation =
      eventId === undefined || eventId === ''
        ? undefined
        : await at.call(explainFlowEventRoute, { params: { eventId }, body: { orgId, listenerId } });
    return {
      ...frameOf(at, listener),
      title: 'Why did it get an event, or not?',
      content: (
        <>
          <form class="filters" method="get" action={at.url(`/listeners/${listenerId}/explain`)}>
            <Field label="ID of the flow event" name="eventId" value={eventId} required maxLength={256} />
            <div class="filter-buttons">
              <button type="submit">Explain</button>
            </div>
          </form>
          {explanation && <Explained at={at} explanation={explanation} eventId={eventId ?? ''} />}
        </>
      ),
    };
  });
}

const Explained = ({
  at,
  explanation: { event, items },
  eventId,
}: {
  at: PageRequest;
  explanation: Explanation;
  eventId: string;
}) => (
  <>
    {items.map((listener) => (
      <Answer key={listener.listenerId} at={at} listener={listener} eventId={eventId} />
    ))}
    <Card title="Flow event">
      <Facts
        facts={{
          ID: <Id value={eventId} href={at.url('/flow-events/show', { orgId: event.orgId, id: eventId })} />,
          Type: <code>{event.type}</code>,
          Position: event.position,
        }}
      />
    </Card>
    {items
      .flatMap(({ deliveries }) => deliveries)
      .map((delivery) => (
        <Card
          key={delivery.id}
          title={delivery.replay === null ? 'Delivery' : 'Delivery of a replay'}
          actions={<a href={at.url(`/deliveries/${delivery.id}`, { orgId: event.orgId })}>Show the delivery</a>}
        >
          <p>
            <TextWithTimes text={`${upperFirst(delivery.because)}.`} />
          </p>
          <Table
            caption="Attempts"
            rows={delivery.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
            keyOf={({ number }) => String(number)}
            empty={<p class="muted">No attempts.</p>}
            columns={{
              Attempt: { show: 'number', numeric: true },
              At: 'startedAt',
              Answer: ({ status, error }) => status ?? error ?? '–',
              Duration: { show: ({ durationMs }) => durationText(durationMs), numeric: true },
            }}
          />
        </Card>
      ))}
  </>
);

/** Outcomes for which it is of use to try the event with the present listener. */
const worthTrying: readonly ExplainedListener['outcome'][] = ['type-mismatch', 'filter-mismatch', 'dead-letter'];

function Answer({
  at,
  listener: { listenerId, outcome, because, details },
  eventId,
}: {
  at: PageRequest;
  listener: ExplainedListener;
  eventId: string;
}) {
  const [tone, text] = outcomes[outcome];
  const { subscribed, paused, removed } = details;
  return (
    <Card
      title="Answer"
      actions={
        worthTrying.includes(outcome) && (
          <a href={at.url(`/listeners/${listenerId}/try`, { eventId })}>Try it with the present details</a>
        )
      }
    >
      <p>
        <Badge tone={tone}>{text}</Badge> <TextWithTimes text={`${upperFirst(because)}.`} />
      </p>
      <Facts
        facts={{
          'State then': details.state,
          'Subscription type then': details.subscriptionType,
          ...(details.filter !== null && { 'Filter then': <CopyableJson value={details.filter} /> }),
          Registered: subscribed && <Moment {...subscribed} />,
          Paused: paused && <Moment {...paused} />,
          Removed: removed && <Moment {...removed} />,
        }}
      />
    </Card>
  );
}

const Moment = ({ at, by, reason }: { at: string; by: string | null; reason: string | null }) => (
  <>
    <Time at={at} />
    {by !== null && (
      <>
        {' by '}
        <code>{by}</code>
      </>
    )}
    {reason !== null && ` (${reason})`}
  </>
);

/** The form on the page of a listener. */
export const ExplainCard = ({ at, listener }: { at: PageRequest; listener: ListenerDetail }) => (
  <Card title="Why did it get an event, or not?">
    <form class="stack" method="get" action={at.url(`/listeners/${listener.listenerId}/explain`)}>
      <Field
        label="ID of the flow event"
        name="eventId"
        required
        maxLength={256}
        hint={
          <>
            As its producer knows it: the <code>id</code> of a delivered body.
          </>
        }
      />
      <button type="submit">Explain</button>
    </form>
  </Card>
);
