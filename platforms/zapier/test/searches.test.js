const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { App, stubService } = require('./stub-service');

const { perform, sample } = App.searches.find_flow_event.operation;

describe('the search Find Flow Event', () => {
  it('returns events of the organisation, and no samples', async (t) => {
    const event = { ...sample, id: 'order-1', orgId: 'acme' };
    const { run, requests } = await stubService(t, {
      'GET /test': { body: {} },
      'GET /api/hooks/perform-list': { body: [event, sample] },
    });
    assert.deepEqual(await run(perform, { inputData: { id: 'order-1' } }), [event]);
    assert.equal(new URL(requests[1].url, 'http://a').searchParams.get('filter'), '{"id":"order-1"}');
  });
});
