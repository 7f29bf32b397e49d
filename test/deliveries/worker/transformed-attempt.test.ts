import { expect } from 'chai';
import type { ListenerRequest } from '../../../src/deliveries/posting/post.js';
import type { Transformed } from '../../../src/deliveries/transforms/transformer.js';
import { attemptDelivery } from '../../../src/deliveries/worker/attempt.js';
import { queuedListener } from '../../support/deliveries/delivery-batches.js';
import { answered, attemptSettings, openPermit } from '../../support/deliveries/worker-settings.js';

describe('an attempt at a listener with a transformation', () => {
  /** The outcome, the requests that were sent, and what was evaluated. */
  async function attempted(transformed: Transformed, transform: string | null = 'data.a') {
    const { position: _, paused: __, ...listener } = queuedListener({ transform });
    const sent: ListenerRequest[] = [];
    const evaluated: object[] = [];
    const event = {
      id: 'd1',
      webhookId: 'w1',
      eventId: 'e1',
      asRead: '0.0',
      eventType: 'flow.completed',
      body: '{"data":{}}',
    };
    const outcome = await attemptDelivery(
      { ...listener, ...event, attempt: 1, enqueuedAt: 2_900, recordedAt: 2_000 },
      openPermit,
      {
        ...attemptSettings(),
        async post(request) {
          sent.push(request);
          return answered;
        },
        async transform(request) {
          evaluated.push(request);
          return transformed;
        },
        clock: () => 3_000,
      },
    );
    return { outcome, sent, evaluated, listener };
  }

  it('sends the result, with the signature of the result', async () => {
    const one = await attempted({ kind: 'done', body: '1' });
    const other = await attempted({ kind: 'done', body: '2' });
    const { orgId, listenerId } = one.listener;
    expect(one.evaluated).to.deep.equal([{ orgId, owner: listenerId, expression: 'data.a', body: '{"data":{}}' }]);
    expect([one.sent[0]?.body, other.sent[0]?.body]).to.deep.equal(['1', '2']);
    expect(one.sent[0]?.headers['webhook-signature']).not.to.equal(other.sent[0]?.headers['webhook-signature']);
    expect(one.outcome.kind).to.equal('succeeded');
  });

  it('is the last one if the evaluation fails: nothing is sent, and the listener is not to blame', async () => {
    const { outcome, sent } = await attempted({ kind: 'failed', reason: 'it has no result' });
    expect(sent).to.deep.equal([]);
    expect(outcome).to.deep.include({ kind: 'exhausted', byListener: false });
    expect('report' in outcome && outcome.report).to.deep.include({ error: 'transform', answer: 'it has no result' });
  });

  it('is released without using an attempt, while expressions cannot be evaluated', async () => {
    const { outcome, sent } = await attempted({ kind: 'busy' });
    expect([outcome, sent]).to.deep.equal([{ kind: 'released' }, []]);
  });
});
