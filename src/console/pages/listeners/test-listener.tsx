import { testListenerRoute } from '../../../admin/api/contracts/listeners.js';
import { Card } from '../../../site/components/card.js';
import { FactsOf } from '../../../site/components/shown.js';
import { durationText } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { Site } from '../../../site/page-view.js';
import { deliveryHref } from '../deliveries/delivery-table.js';
import { listenerOf, ofListener } from './listener.js';

const notAttempted =
  'It was not attempted within some seconds: the circuit breaker, the rate or the order of the listener delays it, or no worker runs. It is cancelled.';

/** Sending a listener a sample; its result is in the answer to the form. */
export const testAction = (site: Site): Action =>
  routeAction(site, '/listeners/:listenerId/test', testListenerRoute, {
    label: 'Send a test',
    async runs(at) {
      const { listenerId, orgId } = await listenerOf(at);
      return {
        orgId,
        listenerId,
        ...(await at.call(testListenerRoute, { params: { listenerId }, body: {} })),
      };
    },
    answers: ({ listenerId, orgId, deliveryId, state, attempt }, at) => ({
      above: [ofListener.above(at)],
      title: 'Result of the test',
      lead: 'A sample flow event of the subscription type was sent to the listener, once.',
      content: (
        <>
          <Notice tone={state === 'succeeded' ? 'good' : 'bad'}>
            {attempt === null
              ? notAttempted
              : `The listener ${state === 'succeeded' ? 'accepted' : 'did not accept'} it.`}
          </Notice>
          {attempt && (
            <Card title="Attempt">
              <FactsOf
                of={attempt}
                facts={{
                  Answer: ({ status, error }) => status ?? error,
                  Duration: ({ durationMs }) => durationText(durationMs),
                  At: 'startedAt',
                  Address: ({ address }) => address && <code>{address}</code>,
                  'Headers of the answer': ({ headers }) => headers && <pre>{headers}</pre>,
                  'Body of the answer': ({ answer }) => answer && <code>{answer}</code>,
                }}
              />
            </Card>
          )}
          <p class="buttons">
            {attempt && (
              <a class="button" href={deliveryHref(at, { id: deliveryId, orgId })}>
                Request and answer
              </a>
            )}
            <a class="button" href={at.url(`/listeners/${listenerId}`)}>
              Back to the listener
            </a>
          </p>
        </>
      ),
    }),
  });
