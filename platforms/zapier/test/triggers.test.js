const assert = require('node:assert/strict');
const { createHmac } = require('node:crypto');
const { describe, it } = require('node:test');
const { App, stubService } = require('./stub-service');

const { performSubscribe, performUnsubscribe, performList, perform, sample } = App.triggers.flow_event.operation;
const targetUrl = 'https://hooks.zapier.com/1';

describe('the trigger New Flow Event', () => {
  it('registers and removes a listener', async (t) => {
    const { run, requests } = await stubService(t, {
      'POST /api/hooks/subscribe/flows': {
        status: 201,
        body: { id: '1', signingSecret: 'whsec_c2VjcmV0', message: '' },
      },
      'POST /api/hooks/unsubscribe/flows': { body: { success: true } },
    });
    const inputData = { subscriptionType: 'order.*', filter: '{"data.total": {"$gt": 40}}' };
    const subscribeData = await run(performSubscribe, { targetUrl, inputData });
    assert.deepEqual(subscribeData, { id: '1', signingSecret: 'whsec_c2VjcmV0' });
    assert.deepEqual(JSON.parse(requests[0].body).filter, { 'data.total': { $gt: 40 } });
    await run(performUnsubscribe, { targetUrl, subscribeData });
    assert.deepEqual(JSON.parse(requests[1].body), { hookUrl: targetUrl });
  });

  it('takes a delivery that is signed, and ignores another sender', async (t) => {
    const { run } = await stubService(t, { 'GET /test': { body: {} }, 'GET /api/hooks/perform-list': { body: [] } });
    const content = JSON.stringify(sample);
    const signature = createHmac('sha256', 'secret').update(`1.2.${content}`).digest('base64');
    const headers = {
      'Http-Webhook-Id': '1',
      'Http-Webhook-Timestamp': '2',
      'Http-Webhook-Signature': `v1,${signature}`,
    };
    const subscribeData = { signingSecret: `whsec_${btoa('secret')}` };
    assert.deepEqual(await run(perform, { subscribeData, rawRequest: { headers, content } }), [sample]);
    const forged = { headers, content: '{}' };
    await assert.rejects(run(perform, { subscribeData, rawRequest: forged }), { name: 'HaltedError' });
  });

  it('shows samples, whose fields are those of its own sample', async (t) => {
    const { run } = await stubService(t, {
      'GET /test': { body: {} },
      'GET /api/hooks/perform-list': { body: [{ ...sample, id: 'latest' }] },
    });
    const [latest] = await run(performList, { inputData: { subscriptionType: 'order.paid' } });
    assert.deepEqual(Object.keys(latest), Object.keys(sample));
  });
});
