import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

type Item = Readonly<Record<string, unknown>>;
type Page = { items: readonly Item[]; next: string | null };

describe('flow events and activity for operators, from outside', () => {
  const searched = organisation('searched');
  const shown = organisation('shown');
  const sentOrg = organisation('sent');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService({ RETRY_SCHEDULE: '10ms' });
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const list = async (query: string) => (await get(`/flows?${query}`)).body as Page;
  const idsOf = ({ items }: Page) => items.map(({ eventId }) => eventId);

  async function publishThree(orgId: string): Promise<void> {
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId, subscriptionType: '*' });
    for (const [id, type] of [
      ['one', 'flow.completed'],
      ['two', 'order.paid'],
      ['three', 'flow.failed'],
    ] as const) {
      await publish(service, { orgId, id, type, data: { id } });
    }
    await until(async () => (await list(`orgId=${orgId}`)).items.length === 3, 'three flow events');
  }

  it('lists the flow events of an organisation, the latest first, by type and by time, page by page', async () => {
    await publishThree(searched);
    const all = await list(`orgId=${searched}`);
    expect(idsOf(all)).to.eql(['three', 'two', 'one']);
    expect(all.items[0]).to.include({ orgId: searched, type: 'flow.failed' });
    expect(idsOf(await list(`orgId=${searched}&type=flow.*`))).to.eql(['three', 'one']);
    expect(idsOf(await list(`orgId=${searched}&type=order.paid`))).to.eql(['two']);
    expect(idsOf(await list('orgId=another'))).to.eql([]);
    const first = await list(`orgId=${searched}&limit=2`);
    expect(idsOf(await list(`orgId=${searched}&limit=2&after=${first.next}`))).to.eql(['one']);

    const at = (all.items[1] as { recordedAt: string }).recordedAt;
    expect(idsOf(await list(`orgId=${searched}&from=${at}&to=${at}`))).to.include('two');
    expect(idsOf(await list(`orgId=${searched}&to=2020-01-01T00:00:00Z`))).to.eql([]);
    expect((await get(`/flows?orgId=${searched}&after=nowhere`)).status).to.equal(400);
    expect((await get('/flows')).status).to.equal(400);
  });

  it('shows a flow event with its content by the ID of its producer, and by that in the store', async () => {
    await publishThree(shown);
    const { status, body } = await get(`/flows/two?orgId=${shown}`);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ eventId: 'two', type: 'order.paid', data: { id: 'two' }, handedOver: true });
    const { storeEventId } = body as { storeEventId: string };
    expect((await get(`/flows/${storeEventId}?orgId=${shown}`)).body).to.eql(body);
    expect((await get('/flows/two?orgId=another')).status).to.equal(404);
  });

  it('publishes a flow event for an operator, once for each ID, and within the limits', async () => {
    const orgId = organisation('published');
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId });
    const event = { orgId, id: 'mine', type: 'flow.completed', data: { total: 1 } };
    expect(await post('/flows', event)).to.deep.include({ status: 202, body: { id: 'mine', warnings: [] } });
    expect((await post('/flows', { ...event, data: { total: 2 } })).status).to.equal(202);
    const ours = () => receiver.received.filter(({ path }) => path === `/${orgId}`);
    await until(() => ours().length > 0, 'the delivery');
    expect(JSON.parse(ours()[0]?.body ?? '')).to.deep.include({ id: 'mine', data: { total: 1 } });
    expect((await get(`/flows/mine?orgId=${orgId}`)).body).to.deep.include({ data: { total: 1 } });
    expect((await post('/flows', { ...event, type: 'not a type' })).status).to.equal(400);
    expect((await post('/flows', { orgId, type: 'flow.completed' })).status).to.equal(400);
  });

  it('shows the request of a delivery as the listener received it, without its signature', async () => {
    await publishThree(sentOrg);
    await until(() => receiver.received.some(({ path }) => path === `/${sentOrg}`), 'a delivery');
    const received = receiver.received.filter(({ path }) => path === `/${sentOrg}`);
    const [{ body, headers }] = received as [(typeof received)[0]];
    let items: readonly Item[] = [];
    const isThere = ({ webhookId, state }: Item) => webhookId === headers['webhook-id'] && state === 'succeeded';
    await until(async () => {
      ({ items } = (await get(`/deliveries?orgId=${sentOrg}`)).body as Page);
      return items.some(isThere);
    }, 'the outcome');
    const sent = await get(`/deliveries/${items.find(isThere)?.id}/request?orgId=${sentOrg}`);
    expect(sent.body).to.eql({
      headers: {
        'content-type': 'application/json',
        'webhook-id': headers['webhook-id'],
        'webhook-timestamp': headers['webhook-timestamp'],
      },
      body,
    });
    expect((await get(`/deliveries/${items.find(isThere)?.id}/request?orgId=another`)).status).to.equal(404);
  });

  it('counts the activity of the service by minute, and lists listeners in trouble', async () => {
    const orgId = organisation('troubled');
    const failing = await startReceiver();
    failing.answer(500);
    const { listenerId } = await subscribe(service, `${failing.origin}/${orgId}`, { orgId });
    for (let index = 0; index < 12; index += 1) await publish(service, { orgId, type: 'flow.completed', data: index });
    const inTrouble = async () =>
      ((await get('/listeners-in-trouble?limit=1000')).body as Page).items.filter((each) => each.orgId === orgId);
    await until(async () => (await inTrouble()).length > 0, 'a listener in trouble');
    const [item, ...others] = await inTrouble();
    expect(others).to.eql([]);
    expect(item).to.include({ listenerId, orgId, hookUrl: `${failing.origin}/…`, trouble: 'breaker' });

    const { body } = await get('/activity?minutes=5');
    const { total, minutes } = body as { total: Item; minutes: readonly Item[] };
    expect(minutes).to.have.length(5);
    expect(total.succeeded).to.be.at.least(3);
    expect(total.failed).to.be.at.least(10);
    expect(total.events).to.be.at.least(12);
    expect(total.latencyMs).to.have.property('p95').that.is.a('number');
    expect((await get('/activity?minutes=0')).status).to.equal(400);
    expect((await get('/listeners-in-trouble?limit=1001')).status).to.equal(400);
    await failing.close();
  });
});
