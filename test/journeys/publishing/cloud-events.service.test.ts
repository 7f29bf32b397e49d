import { expect } from 'chai';
import { CloudEvent, HTTP, type Message } from 'cloudevents';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

type Delivered = { id: string; type: string; flowId: string; data: unknown };

describe('CloudEvents made by the official SDK, from outside', () => {
  let service: SharedService;
  let receiver: Receiver;
  let authorization: string;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
    const key = { name: 'shop', orgId: service.orgId, scopes: ['flows:publish'] };
    const { body } = await administratorOf(() => service).post('/api-keys', key);
    authorization = `Bearer ${(body as { key: string }).key}`;
    await subscribe(service, `${receiver.origin}/hook`, {
      subscriptionType: 'com.example.*',
      filter: { 'data.total': { $gt: 40 } },
    });
  });
  after(() => receiver.close());

  const order = (id: string, total = 42) =>
    new CloudEvent({
      ...{ id, source: '/shops/7', type: 'com.example.order.paid', subject: 'order', flowid: `flow-${id}` },
      data: { total },
    });
  const send = async ({ headers, body }: Message, path = '/api/flows') => {
    const sent = { ...(headers as Record<string, string>), authorization };
    const answer = await fetch(`${service.origin}${path}`, { method: 'POST', headers: sent, body: body as string });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };

  it('are published, structured, binary and as a batch, and reach the listeners whose filter selects them', async () => {
    expect(await send(HTTP.structured(order('structured')))).to.deep.equal({ status: 202, body: { id: 'structured' } });
    expect(await send(HTTP.binary(order('binary')))).to.deep.equal({ status: 202, body: { id: 'binary' } });
    const batch = {
      headers: { 'content-type': 'application/cloudevents-batch+json' },
      body: JSON.stringify([order('first'), order('small', 12), order('last')]),
    };
    expect(await send(batch, '/api/flows/batch')).to.deep.include({ status: 202 });
    expect((await send(HTTP.binary(order('binary', 99)))).status, 'a repeat').to.equal(202);

    const received = (await receiver.has(4)).map(({ body }) => JSON.parse(body) as Delivered);
    expect(received.map(({ id }) => id)).to.have.members(['structured', 'binary', 'first', 'last']);
    for (const { id, type, flowId, data } of received) {
      expect({ type, flowId, data }).to.deep.equal({
        ...{ type: 'com.example.order.paid', flowId: `flow-${id}`, data: { total: 42 } },
      });
    }
  });

  it('are refused with the attribute that is not valid', async () => {
    const { status, body } = await send({
      headers: { 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify({ ...order('wrong').toJSON(), type: 'not a type' }),
    });
    expect(status).to.equal(400);
    expect((body as { message: string }).message).to.match(/^type: /);
  });
});
