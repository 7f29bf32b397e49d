import { expect } from 'chai';
import type { ListenerRequest, PostResult } from '../../../src/deliveries/posting/post.js';
import { maxOccurrenceBytes } from '../../../src/deliveries/worker/agent-delivery.js';
import { attemptDelivery } from '../../../src/deliveries/worker/attempt.js';
import { queuedListener } from '../../support/deliveries/delivery-batches.js';
import { answered, attemptSettings, openPermit } from '../../support/deliveries/worker-settings.js';

const subscriptionId = `sub_${'0'.repeat(32)}`;
const minute = 60_000;

describe('an attempt at the callback of an agent', () => {
  async function attempted({
    data = '{"total":1}',
    result = answered,
    attempt = 1,
    fragment = `#${subscriptionId}`,
  }: {
    data?: string;
    result?: PostResult;
    attempt?: number;
    fragment?: string;
  } = {}) {
    const { position: _, paused: __, ...listener } = queuedListener();
    const sent: ListenerRequest[] = [];
    const outcome = await attemptDelivery(
      {
        ...listener,
        hookUrl: `https://agent.example/hook?a=1${fragment}`,
        id: 'd1',
        webhookId: 'w1',
        eventId: 'e1',
        asRead: '0.0',
        eventType: 'order.paid',
        body: `{"id":"1","type":"order.paid","timestamp":"2026-01-01T00:00:00.000Z","orgId":"acme","flowId":"1","data":${data}}`,
        attempt,
        enqueuedAt: 0,
        recordedAt: 0,
      },
      openPermit,
      {
        ...attemptSettings(),
        clock: () => 0,
        async post(request) {
          sent.push(request);
          return result;
        },
      },
    );
    return { outcome, sent: sent[0] };
  }

  it('sends an occurrence under the ID of its event, with the digits of its numbers', async () => {
    const { sent } = await attempted({ data: '{"big":9007199254740993,"price":10.50}' });
    expect(sent?.body).to.equal(
      '{"eventId":"e1","name":"order.paid","timestamp":"2026-01-01T00:00:00.000Z",' +
        '"data":{"big":9007199254740993,"price":10.50}}',
    );
    expect(sent?.headers).to.include({ 'webhook-id': 'e1', 'x-mcp-subscription-id': subscriptionId });
  });

  it('sends data that is no object as one', async () => {
    for (const [data, sent] of [
      ['[1]', { value: [1] }],
      ['10.50', { value: 10.5 }],
      ['null', { value: null }],
    ] as const)
      expect(JSON.parse((await attempted({ data })).sent?.body ?? '').data, data).to.eql(sent);
  });

  it('sends no occurrence that is too large', async () => {
    const { outcome, sent } = await attempted({ data: JSON.stringify({ text: 'é'.repeat(maxOccurrenceBytes / 2) }) });
    expect([sent, outcome.kind]).to.eql([undefined, 'exhausted']);
  });

  it('is the last one after 410 and 413, and after four within 15 minutes', async () => {
    const outcomeOf = async (status: number, attempt = 1) =>
      (await attempted({ result: { kind: 'answered', status }, attempt })).outcome;
    for (const status of [410, 413]) expect((await outcomeOf(status)).kind, `${status}`).to.equal('exhausted');
    let ms = 0;
    for (let attempt = 1; attempt < 4; attempt += 1) {
      const outcome = await outcomeOf(503, attempt);
      ms += outcome.kind === 'failed' ? outcome.retryAt : Number.NaN;
    }
    expect(ms).to.be.within(10 * minute, 15 * minute);
    expect((await outcomeOf(503, 4)).kind).to.equal('exhausted');
  });

  it('leaves the deliveries of platforms as they are', async () => {
    const { sent } = await attempted({ fragment: '' });
    expect(sent?.headers).to.include({ 'webhook-id': 'w1' }).and.not.have.property('x-mcp-subscription-id');
    expect(JSON.parse(sent?.body ?? '')).to.include({ id: '1', orgId: 'acme' });
  });
});
