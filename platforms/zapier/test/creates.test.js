const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { App, stubService } = require('./stub-service');

const { perform } = App.creates.publish_flow_event.operation;

describe('the action Publish Flow Event', () => {
  const answer = { status: 202, body: { id: 'order-1' }, 'flow-hooks-warning': 'total is missing' };

  it('publishes the fields and the JSON that a user gives', async (t) => {
    const { run, requests } = await stubService(t, { 'POST /api/flows': answer });
    const inputData = { type: 'order.paid', id: 'order-1', json: '{"total": 42, "note": "a"}', data: { note: 'b' } };
    assert.deepEqual(await run(perform, { inputData }), {
      id: 'order-1',
      type: 'order.paid',
      warning: 'total is missing',
    });
    const { method, headers, body } = requests[0];
    assert.deepEqual([method, headers.orgid], ['POST', 'acme']);
    assert.deepEqual(JSON.parse(body), { type: 'order.paid', data: { total: 42, note: 'b' }, id: 'order-1' });
  });

  it('names the mistake in JSON', async (t) => {
    const { run } = await stubService(t, {});
    await assert.rejects(
      run(perform, { inputData: { type: 'order.paid', json: '[1]' } }),
      /Data as JSON: this must be an object/,
    );
  });
});
