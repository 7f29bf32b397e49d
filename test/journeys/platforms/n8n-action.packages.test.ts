import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { builtModule } from '../../support/n8n/built-nodes.js';
import { failureOf, type NodeContext, nodeContext } from '../../support/n8n/node-context.js';
import { startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { publish, signIn, subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

type Item = { json: Record<string, unknown>; pairedItem: { item: number } };
type Action = { execute: (this: NodeContext) => Promise<readonly (readonly Item[])[]> };

describe('the n8n action node', () => {
  let service: SharedService;
  let adminKey: string;
  before(async () => {
    service = await sharedService();
    adminKey = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
  });

  const { execute } = new (builtModule<{ FlowHooks: new () => Action }>(
    'nodes/FlowHooks/FlowHooks.node.js',
  ).FlowHooks)();
  const run = async (context: NodeContext): Promise<readonly Item[]> => (await execute.call(context))[0] ?? [];
  const withKey = (parameters: object, apiKey = adminKey) =>
    nodeContext(
      { authentication: 'apiKey', returnAll: true, ...parameters },
      { baseUrl: service.origin, orgId: service.orgId, apiKey },
    );
  const publishing = (more: object = {}) => ({
    resource: 'flowEvent',
    operation: 'publish',
    type: 'order.paid',
    data: '{"total":1}',
    ...more,
  });
  const listing = (filters: object, more: object = {}) => ({
    resource: 'flowEvent',
    operation: 'getAll',
    filters,
    ...more,
  });

  it('publishes the same events if it is tried again, and others in the next run of a loop', async () => {
    const context = withKey(publishing());
    context.items = [{ json: {} }, { json: {} }];
    const first = await run(context);
    expect(first.map(({ pairedItem }) => pairedItem.item)).to.deep.equal([0, 1]);
    const ids = first.map(({ json }) => json.id);
    expect(new Set(ids).size).to.equal(2);
    expect((await run(context)).map(({ json }) => json.id)).to.deep.equal(ids);
    context.runIndex = 1;
    expect((await run(context)).map(({ json }) => json.id)).to.not.have.any.members(ids);
  });

  it('publishes with an access token, in its organisation, with the fields that are filled in', async () => {
    const oauthTokenData = { ...(await signIn(service)), org_id: service.orgId, user_id: 'ada' };
    const fields = { id: 'order-7', flowId: '', occurredAt: '2026-01-31T12:00:00' };
    const context = nodeContext(
      { ...publishing({ data: { total: 7 }, additionalFields: fields }), authentication: 'oAuth2' },
      { baseUrl: service.origin, oauthTokenData },
    );
    expect(await run(context)).to.deep.equal([{ json: { id: 'order-7' }, pairedItem: { item: 0 } }]);
    const { body } = await service.fetch(`/admin/api/flows/order-7?orgId=${service.orgId}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(body).to.deep.include({ flowId: 'order-7', timestamp: '2026-01-31T12:00:00.000+01:00', data: { total: 7 } });
  });

  it('lists flow events over all pages, or as many as asked for', async () => {
    const events = Array.from({ length: 1_001 }, (_, order) => ({
      orgId: service.orgId,
      type: 'order.listed',
      data: { order },
    }));
    for (const json of [events.slice(0, 1_000), events.slice(1_000)]) {
      expect((await service.fetch('/api/flows/batch', { json })).status).to.equal(202);
    }
    const type = 'order.listed';
    const listed = (filters: object = {}, more: object = {}) => run(withKey(listing({ type, ...filters }, more)));
    await until(async () => (await listed({ from: '2026-01-01T00:00:00' })).length === events.length, 'the events');
    expect(new Set((await listed()).map(({ json }) => json.eventId)).size).to.equal(events.length);
    expect(await listed({}, { returnAll: false, limit: 2 })).to.have.length(2);
    expect(await listed({ to: '2026-01-01T00:00:00' })).to.deep.equal([]);
  });

  it('explains why a listener did or did not get an event, and lists and shows its deliveries', async () => {
    const receiver = await startReceiver();
    const { listenerId } = await subscribe(service, `${receiver.origin}/1`, {
      subscriptionType: 'order.sent',
      filter: { 'data.total': { $gt: 40 } },
    });
    for (const [id, total] of Object.entries({ large: 41, small: 40 }))
      await publish(service, { type: 'order.sent', id, data: { total } });
    await receiver.has(1);
    const explained = async (eventId: string) =>
      run(withKey({ resource: 'flowEvent', operation: 'explain', eventId, receiver: { listenerId, hookUrl: '' } }));
    await until(async () => (await explained('large'))[0]?.json.outcome === 'delivered', 'the outcome');
    const [{ json: small } = { json: {} }] = await explained('small');
    expect(small).to.include({ listenerId, outcome: 'filter-mismatch' });
    const deliveries = await run(
      withKey({ resource: 'delivery', operation: 'getAll', filters: { listenerId, state: 'succeeded' } }),
    );
    expect(deliveries.map(({ json }) => json.eventId)).to.deep.equal(['large']);
    const [shown] = await run(withKey({ resource: 'delivery', operation: 'get', deliveryId: deliveries[0]?.json.id }));
    expect(shown?.json).to.have.nested.property('log[0].status', 200);
    await receiver.close();
  });

  describe('fails', () => {
    it('with the message of the service, its code and its item, and without the key', async () => {
      const context = withKey(publishing({ type: 'not a type' }));
      const error = await failureOf(run(context));
      expect(error).to.include({ name: 'NodeApiError', httpCode: '400' });
      expect(error.message).to.equal('type: must be 1 to 128 letters, digits or . _ : / -');
      expect(error).to.have.nested.property('context.itemIndex', 0);
      expect(error)
        .to.have.property('description')
        .that.matches(/^invalid_request, request \S+$/);
      expect(JSON.stringify({ ...error })).to.not.include(adminKey);
    });

    it('or continues with the other items, if configured', async () => {
      const context = withKey({ resource: 'flowEvent', operation: 'explain', eventId: 'unknown' });
      context.items = [{ json: {} }, { json: {} }];
      context.continues = true;
      const results = await run(context);
      expect(results.map(({ pairedItem }) => pairedItem.item)).to.deep.equal([0, 1]);
      for (const { json } of results) expect(json.error).to.match(/flow event/);
    });

    it('for wrong keys, data that is no JSON, and a service that cannot be reached', async () => {
      expect(await failureOf(run(withKey(publishing(), 'fhk_wrong')))).to.include({ httpCode: '401' });
      expect((await failureOf(run(withKey(publishing({ data: '{' }))))).message).to.match(/^Data is not valid JSON/);
      const unreachable = nodeContext(publishing(), {
        baseUrl: 'http://127.0.0.1:9',
        orgId: service.orgId,
        apiKey: 'fhk_1',
      });
      expect(await failureOf(run(unreachable))).to.have.property('name', 'NodeApiError');
      const unconnected = nodeContext({ ...publishing(), authentication: 'oAuth2' }, { baseUrl: service.origin });
      expect((await failureOf(run(unconnected))).message).to.include('names no organisation');
    });
  });
});
