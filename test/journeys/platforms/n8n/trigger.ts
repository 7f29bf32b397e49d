import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { GivenN8n, Listener } from '../../../support/n8n/given-n8n.js';
import type { Workflow } from '../../../support/n8n/n8n-rest.js';
import { publish } from '../../../support/service/journey.js';
import { until } from '../../../support/until.js';

/** The tests of the trigger node. */
export function triggerTests(given: GivenN8n): void {
  const { post, service, n8n, owner, startAgain, startServiceAgain, listeners, trigger } = given;
  /** The types of the events of listeners, in their order. */
  const changesOfListeners = async (): Promise<readonly string[]> => {
    const { items } = (await post('/audit/history', { orgId: 'acme' })).body as { items: readonly { type: string }[] };
    return items.map(({ type }) => type).filter((type) => type.startsWith('Listener'));
  };
  let workflow: Workflow;

  describe('the trigger', () => {
    let listener: Listener;
    before(async () => {
      workflow = await owner().workflow(
        trigger({ subscriptionType: 'order.*', filter: '{"data.total": {"$gt": 40}}' }),
      );
    });

    it('registers the listener when its workflow is activated', async () => {
      expect(await listeners()).to.deep.equal([]);
      await owner().activate(workflow);
      const [registered, ...others] = await listeners();
      expect(others).to.deep.equal([]);
      expect(registered).to.deep.include({
        state: 'active',
        subscriptionType: 'order.*',
        filter: { 'data.total': { $gt: 40 } },
      });
      listener = registered as Listener;
    });

    it('starts the workflow with the delivered event, for events that match the filter only', async () => {
      await publish(service(), { type: 'order.paid', data: { total: 12 }, id: 'order-1' });
      await publish(service(), { type: 'invoice.paid', data: { total: 99 }, id: 'invoice-1' });
      await publish(service(), { type: 'order.paid', data: { total: 42 }, id: 'order-2' });
      const executions = await owner().executions(workflow, 1);
      expect(executions).to.have.length(1);
      const [{ status, output } = { status: '', output: [] }] = executions;
      expect(status).to.equal('success');
      expect(output).to.have.length(1);
      expect(output[0]).to.deep.include({ id: 'order-2', type: 'order.paid', orgId: 'acme', data: { total: 42 } });
    });

    it('answers 401 to forged, old and unsigned requests, and starts no workflow', async () => {
      const explanation = async () =>
        (await post('/flows/order-2/explain', { orgId: 'acme', listenerId: listener.listenerId })).body as {
          items: readonly { outcome: string }[];
        };
      // n8n shows an execution before the service has recorded its answer.
      await until(async () => (await explanation()).items[0]?.outcome !== 'waiting', 'the answer to be recorded');
      expect(await explanation()).to.have.nested.property('items[0].outcome', 'delivered');
      const url = await hookUrlOf(workflow);
      const send = async (headers: Record<string, string>, body: string | FormData = '{"id":"forged"}') => {
        const type = typeof body === 'string' && { 'content-type': 'application/json' };
        return (await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })).status;
      };
      const signed = (secret: string, at: Date) => ({
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
        'webhook-signature': new Webhook(secret).sign('msg_1', at, '{"id":"forged"}'),
      });
      const secret = await secretOf(listener, url);
      expect(await send({})).to.equal(401);
      expect(await send(signed(`whsec_${Buffer.alloc(32).toString('base64')}`, new Date()))).to.equal(401);
      expect(await send(signed(secret, new Date(Date.now() - 600_000)))).to.equal(401);
      expect(await send(signed(secret, new Date()), new FormData()), 'a form, which n8n does not read').to.equal(401);
      expect(await send(signed(secret, new Date()), '{'), 'no JSON, which n8n refuses').to.equal(422);
      expect(await owner().executions(workflow)).to.have.length(1);
      expect(await send(signed(secret, new Date())), 'a request that the service could have sent').to.equal(200);
      expect(await owner().executions(workflow, 2)).to.have.length(2);
    });

    it('keeps its listener over a restart of n8n, without registering another', async () => {
      await n8n().stop();
      await publish(service(), { type: 'order.paid', data: { total: 43 }, id: 'while-n8n-was-down' });
      await startAgain();
      expect(await listeners()).to.deep.equal([listener]);
      expect(await changesOfListeners()).to.deep.equal(['ListenerSubscribed']);
      await publish(service(), { type: 'order.paid', data: { total: 44 }, id: 'after-the-restart' });
      const ids = (await owner().executions(workflow, 4)).map(({ output }) => (output[0] as { id: string }).id);
      expect(ids.slice(2)).to.have.members(['while-n8n-was-down', 'after-the-restart']);
    });

    describe('where n8n asks at each start whether the listener exists, as with other settings and in other versions,', () => {
      const askingAtStart = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' };
      before(() => n8n().stop());
      after(async () => {
        await n8n().stop();
        await startAgain();
      });
      afterEach(() => n8n().stop());

      it('registers it once', async () => {
        await startAgain(askingAtStart);
        expect(await listeners()).to.deep.equal([listener]);
        expect(await changesOfListeners()).to.deep.equal(['ListenerSubscribed']);
      });

      it('puts back a listener that an operator has removed', async () => {
        await post(`/listeners/${listener.listenerId}/unsubscribe`);
        expect(await listeners()).to.deep.equal([]);
        await startAgain(askingAtStart);
        const [put] = await listeners();
        expect(put).to.include({ state: 'active' });
        await publish(service(), { type: 'order.paid', data: { total: 45 }, id: 'to-the-new-listener' });
        expect(await latestOutput(5)).to.include({ id: 'to-the-new-listener' });
      });

      it('keeps the listener and its secret if the service is down at that time', async () => {
        const registered = await listeners();
        await service().stop();
        await startAgain(askingAtStart);
        await startServiceAgain();
        expect(await listeners()).to.deep.equal(registered);
        await publish(service(), { type: 'order.paid', data: { total: 46 }, id: 'to-the-same-listener' });
        expect(await latestOutput(6)).to.include({ id: 'to-the-same-listener' });
      });
    });

    const latestOutput = async (count: number) => (await owner().executions(workflow, count)).at(-1)?.output[0];
  });

  describe('the trigger, afterwards,', () => {
    it('removes the listener when the workflow is deactivated', async () => {
      await owner().deactivate(workflow);
      expect(await listeners()).to.deep.equal([]);
    });

    it('delivers the result of the transformation of the event', async () => {
      const options = { transform: '{"total": data.total, "of": orgId}', ordered: true, ratePerSecond: 50 };
      const transforming = await owner().workflow(trigger({ subscriptionType: '*', options }));
      await owner().activate(transforming);
      expect((await listeners())[0]).to.deep.include({ ...options, filter: null });
      await publish(service(), { type: 'order.paid', data: { total: 7 } });
      const [execution] = await owner().executions(transforming, 1);
      expect(execution?.output).to.deep.equal([{ total: 7, of: 'acme' }]);
      await owner().deactivate(transforming);
    });

    it('gets a test event in the editor, at its own listener', async () => {
      const edited = await owner().workflow(trigger({ subscriptionType: 'order.*' }));
      expect(await owner().listenForTestEvent(edited, 'Trigger')).to.include({ waitingForWebhook: true });
      expect(await listeners()).to.have.length(1);
      await publish(service(), { type: 'order.paid', data: { total: 8 }, id: 'test-event' });
      const [execution] = await owner().executions(edited, 1);
      expect(execution?.output[0]).to.include({ id: 'test-event' });
      await until(async () => (await listeners()).length === 0, 'the removal of the listener');
    });

    it('is not activated with a filter that the service refuses, and shows the reason', async () => {
      const wrong = await owner().workflow(
        trigger({ subscriptionType: '*', filter: '{"data.total": {"$where": "1"}}' }),
      );
      const refused = await owner()
        .activate(wrong)
        .then(
          () => '',
          (error: unknown) => `${error}`,
        );
      expect(refused).to.include('$where');
      expect(await listeners()).to.deep.equal([]);
    });
  });

  /** The address of a workflow's webhook; the service shows hook URLs masked. */
  async function hookUrlOf({ id }: Workflow): Promise<string> {
    const { nodes } = await owner().ask<{ nodes: { webhookId: string }[] }>('GET', `/rest/workflows/${id}`);
    return `${n8n().origin}/webhook/${nodes[0]?.webhookId}/webhook`;
  }

  /** Finds the secret by repeating the subscribe, which changes nothing. */
  async function secretOf(listener: Listener, hookUrl: string): Promise<string> {
    const { body } = await service().fetch('/api/hooks/subscribe/flows', {
      headers: { orgid: 'acme', userid: listener.userId },
      json: { hookUrl, subscriptionType: 'order.*', filter: { 'data.total': { $gt: 40 } } },
    });
    expect(body).to.include({ listenerId: listener.listenerId });
    return (body as { signingSecret: string }).signingSecret;
  }
}
