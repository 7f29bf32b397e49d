import { testListenerRoute } from '../../../admin/api/contracts/listeners.js';
import { Card, Facts } from '../../components/card.js';
import { durationText, Time } from '../../components/time.js';
import { Notice } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import type { Site } from '../../page-view.js';
import { deliveryHref } from '../deliveries/delivery-table.js';
import { frameOf, type ListenerDetail, listenerOf } from './listener.js';

/** Sending a listener a sample; its result is in the answer to the form. */
export function testPage(site: Site): void {
  site.post('/listeners/:listenerId/test', async (at) => {
    const listener = await listenerOf(at);
    const { deliveryId, state, attempt } = await at.call(testListenerRoute, {
      params: { listenerId: listener.listenerId },
      body: {},
    });
    return {
      ...frameOf(at, listener),
      title: 'Result of the test',
      lead: 'A sample flow event of the subscription type was sent to the listener, once.',
      content: <TestResult at={at} listener={listener} deliveryId={deliveryId} state={state} attempt={attempt} />,
    };
  });
}

type TestAttempt = {
  startedAt: string | null;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  headers: string | null;
  address: string | null;
};

const TestResult = ({
  at,
  listener,
  deliveryId,
  state,
  attempt,
}: {
  at: PageRequest;
  listener: ListenerDetail;
  deliveryId: string;
  state: string;
  attempt: TestAttempt | null;
}) => (
  <>
    <Notice tone={state === 'succeeded' ? 'good' : 'bad'}>
      {attempt === null
        ? 'It was not attempted within some seconds: the circuit breaker, the rate or the order of the listener delays it, or no worker runs. It is cancelled.'
        : state === 'succeeded'
          ? 'The listener accepted it.'
          : 'The listener did not accept it.'}
    </Notice>
    {attempt && (
      <Card title="Attempt">
        <Facts
          facts={[
            ['Answer', attempt.status ?? attempt.error],
            ['Duration', durationText(attempt.durationMs)],
            ['At', attempt.startedAt === null ? null : <Time key="at" at={attempt.startedAt} />],
            ['Address', attempt.address === null ? null : <code key="address">{attempt.address}</code>],
            ['Headers of the answer', attempt.headers === null ? null : <pre key="headers">{attempt.headers}</pre>],
            ['Body of the answer', attempt.answer === null ? null : <code key="body">{attempt.answer}</code>],
          ]}
        />
      </Card>
    )}
    <p class="buttons">
      {attempt && (
        <a class="button" href={deliveryHref(at, { id: deliveryId, orgId: listener.orgId })}>
          Request and answer
        </a>
      )}
      <a class="button" href={at.url(`/listeners/${listener.listenerId}`)}>
        Back to the listener
      </a>
    </p>
  </>
);
