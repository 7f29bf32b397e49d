import type { RouteAnswer } from '../../../http/route-contract.js';
import {
  redeliverDeliveryRoute,
  showDeliveryRoute,
  showSentRequestRoute,
} from '../../../operations/api/contracts/deliveries.js';
import { Badge } from '../../components/badge.js';
import { Card, Empty, Json } from '../../components/card.js';
import { Facts, Id } from '../../components/facts.js';
import { ActionForm } from '../../components/form.js';
import { durationText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { namedOrganisation, organisationOf } from '../organisation.js';
import { DeliveryBadge, Wait } from './delivery-state.js';
import { flowEventHref, hookHref } from './delivery-table.js';

type Delivery = RouteAnswer<typeof showDeliveryRoute>;
type Attempt = Delivery['log'][number];
type SentRequest = RouteAnswer<typeof showSentRequestRoute>;

/** `/deliveries/<id>`: what became of a delivery, why it waits, its attempts with request and answer, and its redelivery. */
export function deliveryPage(site: Site): void {
  const live = site.live('/deliveries/:id', {
    everyMs: 3_000,
    async parts(at) {
      const delivery = await at.call(showDeliveryRoute, { params: paramsOf(at), query: queryOf(at) });
      return { state: <State at={at} delivery={delivery} />, attempts: <Attempts delivery={delivery} /> };
    },
  });

  site.notices({ 'delivery-redelivered': 'The delivery is due now.' });

  site.get('/deliveries/:id', async (at) => {
    const parts = await live(at);
    const request = await at.call(showSentRequestRoute, { params: paramsOf(at), query: queryOf(at) });
    return {
      title: 'Delivery',
      section: '/deliveries',
      lead: <Id value={paramsOf(at).id} />,
      trail: [{ href: at.url('/deliveries', namedOrganisation(at)), text: 'Deliveries' }],
      actions: at.may('operator') && (
        <ActionForm
          action={at.url(`/deliveries/${encodeURIComponent(paramsOf(at).id)}/redeliver`)}
          label="Redeliver"
          hidden={namedOrganisation(at)}
        />
      ),
      live: parts,
      content: (
        <>
          {parts.part('state')}
          {parts.part('attempts')}
          <Request request={request} />
        </>
      ),
    };
  });

  site.post('/deliveries/:id/redeliver', async (at) => {
    const { id } = paramsOf(at);
    await at.call(redeliverDeliveryRoute, { params: { id }, body: { orgId: organisationOf(at) ?? '' } });
    return redirectTo(at, `/deliveries/${encodeURIComponent(id)}`, {
      ...namedOrganisation(at),
      notice: 'delivery-redelivered',
    });
  });
}

const paramsOf = ({ params }: PageRequest) => ({ id: params.id ?? '' });
const queryOf = (at: PageRequest) => ({ orgId: organisationOf(at) ?? '' });

const State = ({ at, delivery }: { readonly at: PageRequest; readonly delivery: Delivery }) => (
  <Card title={delivery.eventType}>
    <Facts
      facts={[
        ['State', <DeliveryBadge key="state" state={delivery.state} />],
        ['Waits for', delivery.waitsFor === null ? null : <Wait delivery={delivery} />],
        ['Next attempt', delivery.dueAt && <Time at={delivery.dueAt} />],
        ['Attempts', delivery.attempts],
        ['Enqueued', delivery.enqueuedAt && <Time at={delivery.enqueuedAt} />],
        ['Last attempt', delivery.lastAttemptAt && <Time at={delivery.lastAttemptAt} />],
        ['Organisation', delivery.orgId],
        ['Hook', <Id key="hook" value={delivery.listenerId} href={hookHref(at, delivery.listenerId)} />],
        ['Flow event', <Id key="event" value={delivery.eventId} href={flowEventHref(at, delivery)} />],
        ...(delivery.replay === undefined ? [] : [['Replay', <code key="replay">{delivery.replay}</code>] as const]),
        ['Webhook ID', <code key="webhook">{delivery.webhookId}</code>],
      ]}
    />
  </Card>
);

/** The latest attempt comes first. */
const Attempts = ({ delivery: { attempts, log } }: { readonly delivery: Delivery }) => (
  <Card title="Attempts">
    {log.length === 0 ? (
      <Empty title="No attempt has been made">
        <p>The state above says what the delivery waits for.</p>
      </Empty>
    ) : (
      <ol class="attempts">
        {log
          .map((attempt, index) => (
            <AttemptItem key={index} attempt={attempt} number={attempts - log.length + index + 1} />
          ))
          .reverse()}
      </ol>
    )}
    {attempts > log.length && log.length > 0 && <p class="muted">The log holds the latest {log.length} attempts.</p>}
  </Card>
);

const AttemptItem = ({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) => (
  <li>
    <div class="attempt-head">
      <strong>Attempt {number}</strong>
      <Badge tone={attempt.error === null ? 'good' : 'bad'}>{resultText(attempt)}</Badge>
      {attempt.startedAt && <Time at={attempt.startedAt} />}
      <span class="muted">took {durationText(attempt.durationMs)}</span>
      {attempt.address && (
        <span class="muted">
          to <code>{attempt.address}</code>
        </span>
      )}
    </div>
    {attempt.answer !== null && attempt.answer !== '' && (
      <pre class="json" tabindex={0}>
        {attempt.answer}
      </pre>
    )}
  </li>
);

/** Both the status and what went wrong: an answer may have been lost after its status. */
function resultText({ status, error }: Attempt): string {
  if (error === null) return `Answered ${status}`;
  if (error === 'http_status') return `Answered ${status}`;
  return status === null ? `Failed: ${error}` : `Failed: ${error} after status ${status}`;
}

const Request = ({ request: { headers, body } }: { readonly request: SentRequest }) => (
  <Card title="Request">
    {headers === null ? (
      <p class="muted">Nothing has been sent. The body below will be sent with a signature.</p>
    ) : (
      <>
        <p class="muted">
          As it was sent at the latest attempt. The signature (<code>webhook-signature</code>) and the URL of the hook
          are not shown.
        </p>
        <pre class="json headers" tabindex={0}>
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      </>
    )}
    {body === null ? <p class="muted">The body is not kept any more.</p> : <Body text={body} />}
  </Card>
);

function Body({ text }: { readonly text: string }) {
  try {
    return <Json value={JSON.parse(text)} />;
  } catch {
    return (
      <pre class="json" tabindex={0}>
        {text}
      </pre>
    );
  }
}
