import {
  redeliverDeliveryRoute,
  showDeliveryRoute,
  showSentRequestRoute,
} from '../../../admin/api/contracts/deliveries.js';
import { showListenerRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { parseJson } from '../../../kernel/input/exact-json.js';
import { Card, Copyable, Empty, Id, Json } from '../../../site/components/card.js';
import { FactsOf, ListenerLink } from '../../../site/components/shown.js';
import { durationText, Time } from '../../../site/components/time.js';
import { Badge } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { namedOrganisation, organisationOf, type PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';

import { DeliveryBadge, Wait } from './delivery-state.js';
import { flowEventHref, hookUrlsOf } from './delivery-table.js';

type Delivery = RouteAnswer<typeof showDeliveryRoute>;
type Attempt = Delivery['log'][number];
type SentRequest = RouteAnswer<typeof showSentRequestRoute>;

/** `/deliveries/<id>`: outcome, wait, attempts with request and answer, redelivery. */
export function deliveryPage(site: Site): void {
  const redeliver = routeAction(site, '/deliveries/:id/redeliver', redeliverDeliveryRoute, {
    label: 'Redeliver',
    carries: ['orgId'],
    above: (at) => ({
      href: at.url(`/deliveries/${encodeURIComponent(paramsOf(at).id)}`, namedOrganisation(at)),
      text: '',
    }),
    done: 'The delivery is due now.',
  });

  livePage(site, '/deliveries/:id', {
    everyMs: 3_000,
    async parts(at) {
      const [delivery, hookUrls] = await Promise.all([
        at.call(showDeliveryRoute, { params: paramsOf(at), query: queryOf(at) }),
        hookUrlsOf(at, queryOf(at).orgId),
      ]);
      return {
        state: <State at={at} delivery={delivery} hookUrl={hookUrls.get(delivery.listenerId)} />,
        attempts: <Attempts delivery={delivery} />,
      };
    },
    async shows(at) {
      const request = await at.call(showSentRequestRoute, { params: paramsOf(at), query: queryOf(at) });
      const delivery = await at.call(showDeliveryRoute, { params: paramsOf(at), query: queryOf(at) });
      const transform = await transformOf(at, delivery);
      return {
        title: 'Delivery',
        lead: <Id value={paramsOf(at).id} />,
        trail: [{ href: at.url('/deliveries', namedOrganisation(at)), text: 'Deliveries' }],
        actions: redeliver.button(at, namedOrganisation(at)),
        below: <Request at={at} delivery={delivery} request={request} transform={transform} />,
      };
    },
  });
}

const paramsOf = ({ params }: PageRequest) => ({ id: params.id ?? '' });
const queryOf = (at: PageRequest) => ({ orgId: organisationOf(at) ?? '' });

/** The listener's present transformation; null: none, or an unknown listener. */
async function transformOf(at: PageRequest, { listenerId }: Delivery): Promise<string | null> {
  try {
    return (await at.call(showListenerRoute, { params: { listenerId } })).transform;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null;
    throw error;
  }
}

const State = ({ at, delivery, hookUrl }: { at: PageRequest; delivery: Delivery; hookUrl: string | undefined }) => (
  <Card title="State">
    <FactsOf
      of={delivery}
      facts={{
        State: ({ state }) => <DeliveryBadge state={state} />,
        Type: ({ eventType }) => <code>{eventType}</code>,
        'Waits for': delivery.waitsFor === null ? undefined : () => <Wait delivery={delivery} />,
        Due: delivery.waitsFor === null ? undefined : 'dueAt', // the wait may end later
        Attempts: ({ attempts }) => attempts,
        Enqueued: 'enqueuedAt',
        'Last attempt': 'lastAttemptAt',
        Organisation: ({ orgId }) => orgId,
        Listener: ({ listenerId }) => <ListenerLink listenerId={listenerId} name={hookUrl} />,
        'Flow event': ({ eventId }) => <Id value={eventId} href={flowEventHref(at, delivery)} />,
        Replay: delivery.replay === undefined ? undefined : ({ replay }) => <code>{replay}</code>,
        'Webhook ID': ({ webhookId }) => <code>{webhookId}</code>,
      }}
    />
  </Card>
);

/** The latest first. */
const Attempts = ({ delivery: { attempts, log } }: { delivery: Delivery }) => (
  <Card title="Attempts">
    {log.length === 0 ? (
      <Empty title="No attempt has been made" text="The state above says what the delivery waits for." />
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

const AttemptItem = ({ attempt, number }: { attempt: Attempt; number: number }) => (
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
    {attempt.headers !== null && (
      <details>
        <summary>Headers of the answer</summary>
        <pre class="json headers" tabindex={0}>
          {attempt.headers}
        </pre>
      </details>
    )}
    {attempt.answer !== null && attempt.answer !== '' && (
      <pre class="json" tabindex={0}>
        {attempt.answer}
      </pre>
    )}
  </li>
);

/** Status and error: an answer may be lost after its status. */
function resultText({ status, error }: Attempt): string {
  if (error === null) return `Answered ${status}`;
  if (error === 'http_status') return `Answered ${status}`;
  if (error === 'transform') return 'Not sent: the transformation failed';
  return status === null ? `Failed: ${error}` : `Failed: ${error} after status ${status}`;
}

const Request = ({
  at,
  delivery,
  request: { headers, body },
  transform,
}: {
  at: PageRequest;
  delivery: Delivery;
  request: SentRequest;
  transform: string | null;
}) => (
  <Card title="Request">
    {headers === null || delivery.lastError === 'transform' ? (
      <p class="muted">Nothing has been sent{headers !== null && ' at the latest attempt'}.</p>
    ) : (
      <>
        <p class="muted">
          As it was sent at the latest attempt. The signature (<code>webhook-signature</code>) and the hook URL are not
          shown.
        </p>
        <pre class="json headers" tabindex={0}>
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      </>
    )}
    {transform !== null && (
      <p class="muted">
        The listener has a transformation: below is the event before it.{' '}
        <a href={at.url(`/listeners/${encodeURIComponent(delivery.listenerId)}/try`, { eventId: delivery.eventId })}>
          Show its result
        </a>
      </p>
    )}
    {body === null ? <p class="muted">The body is not kept any more.</p> : <Body text={body} />}
    {headers !== null && body !== null && (
      <details>
        <summary>As a command for curl</summary>
        <Copyable text={curlOf(headers, body)} />
      </details>
    )}
  </Card>
);

/** Command for a shell; the hook URL is that of its variable. */
function curlOf(headers: Readonly<Record<string, string>>, body: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -X POST "$HOOK_URL"', ...fields, `-d ${quoted(body)}`].join(' \\\n  ');
}

function Body({ text }: { text: string }) {
  try {
    return <Json value={parseJson(text)} />;
  } catch {
    return (
      <pre class="json" tabindex={0}>
        {text}
      </pre>
    );
  }
}
