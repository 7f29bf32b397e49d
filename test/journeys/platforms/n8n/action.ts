import { expect } from 'chai';
import type { GivenN8n } from '../../../support/n8n/given-n8n.js';
import { startLossyService } from '../../../support/n8n/lossy-service.js';
import { publish } from '../../../support/service/journey.js';
import { until } from '../../../support/until.js';

/** The tests of the action node. */
export function actionTests(given: GivenN8n): void {
  const { get, keyWith, adminKeyText, keyData, service, owner, trigger, action, run } = given;
  describe('the action node', () => {
    const publishing = (type: string, more: object = {}) => ({
      resource: 'flowEvent',
      operation: 'publish',
      type,
      ...more,
    });
    const orders = { orders: [{ total: 1 }, { total: 2 }, { total: 3 }] };
    const eachOrder = {
      name: 'Items',
      type: 'n8n-nodes-base.splitOut',
      parameters: { fieldToSplitOut: 'body.orders' },
    };

    it('publishes an event for each item, by default the item itself', async () => {
      const { status, items } = await run(orders, eachOrder, action(publishing('order.placed')));
      expect(status, JSON.stringify(items)).to.equal(200);
      expect(new Set(items.map(({ id }) => id)).size).to.equal(3);
      const { body } = await get(`/flows/${items[2]?.id}?orgId=acme`);
      expect(body).to.deep.include({ data: { total: 3 } });
    });

    it('publishes another event in each run of a loop', async () => {
      const loop = {
        name: 'Loop',
        type: 'n8n-nodes-base.splitInBatches',
        typeVersion: 3,
        parameters: { batchSize: 1 },
        outputs: [['Done'], ['Flow Hooks']],
      };
      const inLoop = action(publishing('order.looped'), { outputs: [['Loop']] });
      const done = { name: 'Done', type: 'n8n-nodes-base.noOp', outputs: [] };
      const { items } = await run(orders, eachOrder, loop, inLoop, done);
      expect(new Set(items.map(({ id }) => id)).size).to.equal(3);
      await until(async () => (await latest('order.looped')).length === 3, 'the events');
    });

    it('publishes once if the answer is lost and n8n tries the node again', async () => {
      const lossy = await startLossyService(service().origin);
      const flowHooksApi = await owner().credential('flowHooksApi', {
        ...keyData(adminKeyText()),
        baseUrl: lossy.origin,
      });
      const trying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100, credentials: { flowHooksApi } };
      const { items } = await run({}, action(publishing('order.retried', { data: '{}' }), trying));
      expect(items[0], JSON.stringify(items)).to.have.property('id');
      expect(lossy.received.length).to.equal(2);
      await until(async () => (await latest('order.retried')).length > 0, 'the event');
      expect(await latest('order.retried')).to.have.length(1);
      await lossy.close();
    });

    it('publishes nothing again under an ID that the organisation has', async () => {
      const additionalFields = { id: 'order-9', flowId: 'flow-9', occurredAt: '2026-01-31T12:00:00' };
      const sending = action(publishing('order.sent', { data: '{"total": 9}', additionalFields }));
      for (let time = 0; time < 2; time += 1) {
        expect((await run({}, sending)).items).to.deep.equal([{ id: 'order-9' }]);
      }
      await until(async () => (await latest('order.sent')).length > 0, 'the event');
      expect(await latest('order.sent')).to.have.length(1);
    });

    it('lists flow events and deliveries, shows a delivery, and explains why a listener did or did not get an event', async () => {
      const listening = await owner().workflow(
        trigger({ subscriptionType: 'order.shipped', filter: '{"data.total": {"$gt": 40}}' }),
      );
      await owner().activate(listening);
      for (const [id, total] of Object.entries({ large: 41, small: 40 }))
        await publish(service(), { type: 'order.shipped', id, data: { total } });
      await owner().executions(listening, 1);
      const listed = await run(
        {},
        action({ resource: 'flowEvent', operation: 'getAll', returnAll: true, filters: { type: 'order.shipped' } }),
      );
      expect(listed.items.map(({ eventId }) => eventId)).to.have.members(['large', 'small']);
      const deliveries = await run(
        {},
        action({ resource: 'delivery', operation: 'getAll', limit: 1, filters: { eventId: 'large' } }),
      );
      expect(deliveries.items).to.have.length(1);
      expect(deliveries.items[0]).to.include({ eventId: 'large', state: 'succeeded' });
      const shown = await run(
        {},
        action({ resource: 'delivery', operation: 'get', deliveryId: `${deliveries.items[0]?.id}` }),
      );
      expect(shown.items[0]).to.have.nested.property('log[0].status', 200);
      const explained = async (eventId: string) =>
        (await run({}, action({ resource: 'flowEvent', operation: 'explain', eventId }))).items;
      expect((await explained('large')).map(({ outcome }) => outcome)).to.include('delivered');
      expect((await explained('small')).map(({ because }) => `${because}`).join()).to.include('data.total');
      await owner().deactivate(listening);
    });

    it('fails with the message of the service, or continues with it', async () => {
      const explaining = { resource: 'flowEvent', operation: 'explain', eventId: 'unknown' };
      const continued = await run({}, action(explaining, { onError: 'continueRegularOutput' }));
      expect(continued.items).to.have.length(1);
      expect(`${continued.items[0]?.error}`).to.include('flow event');
      const withoutRight = action(explaining, {
        onError: 'continueRegularOutput',
        credentials: { flowHooksApi: await keyWith('flows:publish') },
      });
      expect((await run({}, withoutRight)).items).to.deep.equal([
        { error: 'these credentials do not have the scope flows:read' },
      ]);
      expect((await run({}, action(explaining))).status).to.equal(500);
    });

    const latest = async (type: string) => {
      const { items } = (await get(`/flows?orgId=acme&type=${type}`)).body as { items: readonly unknown[] };
      return items;
    };
  });
}
