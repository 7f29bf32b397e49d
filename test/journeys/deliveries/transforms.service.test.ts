import { expect } from 'chai';
import { sumOfTrials, type Tried } from '../../../src/admin/api/sum-trials.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

type Delivery = { id: string; eventId: string; state: string; attempts: number };

describe('listeners with transformations, from outside', () => {
  const orgId = organisation('acme');
  const transform = '{"id": id, "amount": data.amount + 0}';
  let service: SharedService;
  let receiver: Receiver;
  let url: string;
  let listenerId: string;

  before(async () => {
    receiver = await startReceiver();
    url = `${receiver.origin}/transformed`;
    service = await sharedService();
    ({ listenerId } = await subscribe(service, url, { orgId, transform, filter: { 'data.amount': { $ne: 0 } } }));
    await publish(service, { orgId, id: 'wrong', type: 'flow.completed', data: { amount: 'many' } });
    await publish(service, { orgId, id: 'right', type: 'flow.completed', data: { amount: 5 } });
    await until(() => receiver.received.length > 0, 'the delivery');
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const deliveries = async (query: string) =>
    ((await get(`/deliveries?orgId=${orgId}&${query}`)).body as { items: Delivery[] }).items;
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as unknown);

  it('get the result of the expression, signed as it is sent', () => {
    expect(bodies()).to.deep.equal([{ id: 'right', amount: 5 }]);
    expect(receiver.received[0]?.headers['webhook-signature']).to.match(/^v1,/);
  });

  it('are not registered with an expression that is not valid: 400 names the place', async () => {
    const headers = { orgid: orgId, userid: 'ada' };
    const json = { hookUrl: url, subscriptionType: 'flow.*', transform: '{"id": id' };
    const { status, body } = await service.fetch('/api/hooks/subscribe/flows', { headers, json });
    expect(status).to.equal(400);
    expect((body as { message: string }).message).to.match(/^transform: at character \d+: Expected/);
  });

  it('get no event for which it fails: a dead letter at once, with the reason', async () => {
    await until(async () => (await deliveries('state=exhausted')).length === 1, 'the dead letter');
    const [dead] = await deliveries('state=exhausted');
    expect(dead).to.include({ eventId: 'wrong', attempts: 1, lastError: 'transform' });
    const { body } = await get(`/deliveries/${dead?.id}?orgId=${orgId}`);
    const [attempt] = (body as { log: { error: string; answer: string }[] }).log;
    expect(attempt).to.include({ error: 'transform' });
    expect(attempt?.answer).to.match(/must evaluate to a number/);
    const explained = await post('/flows/wrong/explain', { orgId, listenerId });
    const [item] = (explained.body as { items: { outcome: string; because: string }[] }).items;
    expect(item?.outcome).to.equal('dead-letter');
    expect(item?.because).to.match(/because the transformation of the listener failed \(.*must evaluate to a number/);
  });

  it('get a redelivery by the present expression', async () => {
    await subscribe(service, url, { orgId, transform: '{"id": id, "amount": $string(data.amount)}' });
    const [dead] = await deliveries('state=exhausted');
    await runCliForJson(service.dataDirectory, 'deliveries', 'redeliver', dead?.id ?? '', '--org', orgId);
    await until(() => receiver.received.length === 2, 'the redelivery');
    expect(bodies()[1]).to.deep.equal({ id: 'wrong', amount: 'many' });
  });

  it('can be tried with an event: the body, or the reason for none', async () => {
    await subscribe(service, url, { orgId, transform, filter: { 'data.amount': { $ne: 0 } } });
    const tried = async (event: object) => (await post(`/listeners/${listenerId}/try`, { event })).body;
    const sent = receiver.received.length;
    expect(await tried({ id: 't-1', type: 'flow.completed', data: { amount: 7 } })).to.deep.equal({
      ...{ sent: true, body: { id: 't-1', amount: 7 }, because: null },
    });
    expect(await tried({ type: 'flow.completed', data: { amount: 0 } })).to.deep.equal({
      ...{ sent: false, body: null },
      because: "the listener's filter excludes the event: data.amount.$ne 0 failed on 0",
    });
    expect((await tried({ type: 'flow.completed', data: { amount: 'x' } })) as object)
      .to.have.property('because')
      .that.matches(
        /^the listener's transformation fails, which makes the delivery a dead letter: .*must evaluate to a number/,
      );
    expect((await tried({ type: 'order.paid', data: {} })) as object)
      .to.have.property('because')
      .that.matches(/is subscribed to flow/);
    expect(receiver.received).to.have.length(sent);
    const cli = ['listeners', 'try', listenerId, '--type', 'flow.completed', '--id', 't-2', '--data', '{"amount":8}'];
    expect(await runCliForJson(service.dataDirectory, ...cli)).to.deep.equal([
      { sent: true, body: { id: 't-2', amount: 8 }, because: null },
    ]);
    expect(
      (await post('/listeners/00000000-0000-4000-8000-000000000000/try', { event: { type: 'a', data: 1 } })).status,
    ).to.equal(404);
  });

  it('can be tried on past events before they are registered: counts and examples, on the command line too', async () => {
    const subscription = { subscriptionType: 'flow.*', filter: { 'data.amount': { $ne: 0 } }, transform };
    await publish(service, { orgId, id: 'none', type: 'flow.completed', data: { amount: 0 } });
    const sent = receiver.received.length;
    const read = async (after: string | undefined) => {
      const { status, body } = await post('/listeners/try', { orgId, ...subscription, after });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Tried;
    };
    const { examples, ...found } = await sumOfTrials(read, () => true);
    expect(found).to.deep.include({ sent: 1, dropped: 1, failed: 1, stoppedBy: 'end', next: null });
    expect(examples.map(({ outcome, eventId, body }) => [outcome, eventId, body])).to.deep.equal([
      ['failed', 'wrong', null],
      ['sent', 'right', { id: 'right', amount: 5 }],
      ['dropped', 'none', null],
    ]);
    const cli = ['listeners', 'try-subscription', orgId, '--type', 'flow.*', '--transform', transform, '--days', '1'];
    const [counted] = await runCliForJson(
      service.dataDirectory,
      ...cli,
      '--filter',
      JSON.stringify(subscription.filter),
    );
    expect(counted).to.deep.include({ sent: 1, dropped: 1, failed: 1, next: null });
    expect(receiver.received).to.have.length(sent);
  });
});
