import { expect } from 'chai';
import { expectedPages } from '../support/console/expected-pages.js';
import { textOf } from '../support/console/text-of.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const hostile = `<img src=x onerror="alert('1')">`;

describe('the pages of flow events', () => {
  const listed = organisation('listed');
  const flow = organisation('flow');
  const wrong = organisation('wrong');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  const { get: getJson } = administratorOf(() => service);
  const { get, post } = expectedPages(() => service);
  const known = async (orgId: string) =>
    ((await getJson(`/flows?orgId=${encodeURIComponent(orgId)}`)).body as { items: readonly unknown[] }).items;

  async function publishTwo(orgId: string): Promise<void> {
    await publish(service, { orgId, id: 'first', type: 'flow.completed', data: { total: 41 } });
    await publish(service, { orgId, id: 'second', type: 'order.paid', data: { total: 42 } });
    await until(async () => (await known(orgId)).length === 2, 'both flow events');
  }

  it('state the next step before an organisation is chosen, and for one without flow events', async () => {
    expect(textOf(await get('/flow-events'))).to.include('Choose an organisation');
    expect(textOf(await get('/flow-events?orgId=nobody'))).to.include('There are no flow events');
  });

  it('list flow events, the latest first, by type, ID and time', async () => {
    await publishTwo(listed);
    const all = await get(`/flow-events?orgId=${listed}`);
    expect(all.indexOf('title="second"')).to.be.within(0, all.indexOf('title="first"'));
    for (const filter of ['type=flow.*', 'find=fir', 'find=first', 'type=flow.completed&from=2020-01-01T00:00']) {
      const html = await get(`/flow-events?orgId=${listed}&${filter}`);
      expect(html, filter).to.include('title="first"').and.not.to.include('title="second"');
    }
    for (const filter of ['type=flow.failed', 'find=third', 'to=2020-01-01T00:00']) {
      expect(textOf(await get(`/flow-events?orgId=${listed}&${filter}`)), filter).to.include('No flow event matches');
    }
  });

  it('show a flow event with its content, and for each listener whether it got it, and why', async () => {
    const orgId = organisation('shown');
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId, subscriptionType: 'order.*' });
    await subscribe(service, `${receiver.origin}/${orgId}-other`, { orgId, subscriptionType: 'flow.failed' });
    await publishTwo(orgId);
    const path = `/flow-events/show?orgId=${orgId}&id=second`;
    await until(async () => (await get(path)).includes('Delivered'), 'its delivery');
    const html = await get(path);
    const text = textOf(html);
    expect(text).to.include('"total": 42');
    expect(text).to.match(/Delivered The listener answered 200 at .* Delivery, 1 attempt/);
    expect(text).to.include('The listener was subscribed to flow.failed, and the type of the event is order.paid.');
    expect(html, 'the URLs of listeners').not.to.include(`${receiver.origin}/${orgId}`);
    const delivery = /href="\/console(\/deliveries\/[^"?]*\?orgId=shown-\w+)"/.exec(html)?.[1] ?? '';
    expect(textOf(await get(delivery))).to.include('Delivered');
    expect(textOf(await get(`/flow-events/show?orgId=another&id=second`, 404))).to.include('has no flow event');
  });

  it('publish a flow event once, however often the form is sent', async () => {
    const orgId = organisation('published');
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId });
    const html = await get(`/flow-events/publish?orgId=${orgId}`);
    const id = /name="id"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="id"/.exec(html)?.slice(1).find(Boolean) ?? '';
    expect(id).to.have.length(36);
    const form = { orgId, type: 'flow.completed', id, data: '{"total": 43}', newOrganisation: orgId };
    for (let times = 0; times < 2; times += 1) {
      const to = await post('/flow-events/publish', form);
      expect(to).to.equal(`/flow-events/show?orgId=${orgId}&id=${id}&notice=flow-events-publish`);
      expect(textOf(await get(to)))
        .to.include('The flow event is published.')
        .and.to.include('"total": 43');
    }
    const ours = () => receiver.received.filter(({ path }) => path === `/${orgId}`);
    await until(() => ours().length > 0, 'the delivery');
    expect(await known(orgId)).to.have.length(1);
    expect(ours()).to.have.length(1);
  });

  it('publish a flow event of a flow that has others', async () => {
    const named = { orgId: flow, type: 'flow.completed', id: 'later', flowId: 'flow-1', data: '1' };
    expect(textOf(await post('/flow-events/publish', named, 400))).to.include(
      `The organisation “${flow}” is not known`,
    );
    const form = { ...named, newOrganisation: flow };
    expect(await post('/flow-events/publish', form)).to.equal(`/flow-events?orgId=${flow}&notice=flow-events-publish`);
    await until(async () => (await known(flow)).length === 1, 'the flow event');
    expect(textOf(await get(`/flow-events/show?orgId=${flow}&id=later`))).to.include('flow-1');
  });

  it('report the error of a flow event that cannot be published, and keep the input', async () => {
    const form = { orgId: wrong, type: 'flow.completed', id: 'kept', data: '{"total": 43', newOrganisation: wrong };
    const notJson = await post('/flow-events/publish', form, 400);
    expect(textOf(notJson)).to.include('data: is not valid JSON').and.to.include('{"total": 43');
    expect(notJson).to.include('value="kept"');
    const wrongType = await post('/flow-events/publish', { ...form, type: `${hostile} x`, data: '{}' }, 400);
    expect(textOf(wrongType)).to.include('must be 1 to 128 letters');
    expect(wrongType).to.include('value="&lt;img src=x').and.not.to.include('<img');
    const noOrganisation = await post('/flow-events/publish', { ...form, orgId: '', data: '{}' }, 400);
    expect(textOf(noOrganisation)).to.include('orgId: ');
    expect(await known(wrong)).to.have.length(0);
  });

  it('show hostile values of URLs and of flow events as text', async () => {
    const orgId = organisation(hostile);
    const data = { [hostile]: [hostile, '</code></pre><script>alert(1)</script>', '\u202Egnp.exe'] };
    await publish(service, { orgId, id: hostile, flowId: hostile, type: 'flow.completed', data });
    await until(async () => (await known(orgId)).length === 1, 'the flow event');
    const query = `orgId=${encodeURIComponent(orgId)}`;
    for (const path of [
      `/flow-events?${query}`,
      `/flow-events?${query}&find=${encodeURIComponent(hostile)}`,
      `/flow-events/show?${query}&id=${encodeURIComponent(hostile)}`,
      `/flow-events/publish?${query}`,
    ]) {
      const html = await get(path);
      expect(html, path).not.to.include('<img').and.not.to.include('<script>alert');
      expect(html, path).to.include('&lt;img src=x');
    }
  });
});
