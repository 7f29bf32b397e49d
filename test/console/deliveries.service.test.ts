import { expect } from 'chai';
import { expectedPages } from '../support/console/expected-pages.js';
import { textOf } from '../support/console/text-of.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe, unsubscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

type Item = Readonly<Record<string, string>>;

const hostile = `<img src=x onerror="alert('1')">`;

describe('the pages of deliveries', () => {
  const shown = organisation('shown');
  const one = organisation('one');
  const selected = organisation('selected');
  const all = organisation('all');
  const removed = organisation('removed');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService({ RETRY_SCHEDULE: '10ms' });
  });
  after(() => receiver.close());
  afterEach(() => receiver.answer(200));

  const { get: getJson, post: postJson } = administratorOf(() => service);
  const { get, post } = expectedPages(() => service);
  const list = async (query: string) =>
    ((await getJson(`/deliveries?${query}`)).body as { items: readonly Item[] }).items;

  /** Publishes events for one listener, whose attempts are used up; resolves with the dead letters. */
  async function deadLetters(orgId: string, count: number): Promise<readonly Item[]> {
    receiver.answer(500);
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId, subscriptionType: '*' });
    for (let index = 0; index < count; index += 1) {
      await publish(service, { orgId, id: `event-${index}`, type: 'order.paid', data: { index } });
      await until(async () => (await list(`orgId=${orgId}&state=exhausted`)).length === index + 1, 'a dead letter');
    }
    receiver.answer(200);
    return list(`orgId=${orgId}&state=exhausted`);
  }

  it('count the deliveries of the service and ask for an organisation, before one is chosen', async () => {
    const text = textOf(await get('/deliveries'));
    expect(text).to.match(/Waiting \d.* Held \d.* Delivered \d.* Dead letters \d/);
    expect(text).to.include('Choose an organisation');
  });

  it('state the next step for an organisation without deliveries, and for a filter without matches', async () => {
    expect(textOf(await get('/deliveries?orgId=nobody'))).to.include('There are no deliveries');
    expect(textOf(await get('/deliveries?orgId=nobody&state=held'))).to.include('No delivery matches the filter');
  });

  it('list deliveries by state, type, flow event, listener and time, and page by page', async () => {
    const orgId = organisation('listed');
    const { listenerId } = await subscribe(service, `${receiver.origin}/${orgId}`, { orgId, subscriptionType: '*' });
    for (let index = 0; index < 51; index += 1) {
      await publish(service, {
        orgId,
        id: `event-${index}`,
        type: index === 7 ? 'order.paid' : 'flow.completed',
        data: 1,
      });
    }
    await until(async () => (await list(`orgId=${orgId}&state=succeeded&limit=100`)).length === 51, 'all deliveries');
    const rows = async (query: string) => (await get(`/deliveries?orgId=${orgId}${query}`)).split('<tr id=').length - 1;
    expect(await rows('&type=order.*')).to.equal(1);
    expect(await rows('&eventId=event-3')).to.equal(1);
    expect(await rows(`&listenerId=${listenerId}&type=order.paid`)).to.equal(1);
    expect(await rows('&type=order.paid&from=2020-01-01T00:00')).to.equal(1);
    expect(textOf(await get(`/deliveries?orgId=${orgId}&to=2020-01-01T00:00`))).to.include('No delivery matches');
    expect(textOf(await get(`/deliveries?orgId=${orgId}&state=waiting`))).to.include('No delivery matches');

    const first = await get(`/deliveries?orgId=${orgId}`);
    const next = /href="\/console(\/deliveries\?[^"]*after=[^"]*)" rel="next"/
      .exec(first)?.[1]
      ?.replaceAll('&amp;', '&');
    const second = await get(next ?? '');
    expect(second).to.include('event-0<').and.not.to.include('event-50<');
    expect(second).not.to.include('rel="next"');
  });

  it('refuse a state that there is none of, with the reason', async () => {
    expect(textOf(await get(`/deliveries?orgId=${service.orgId}&state=lost`, 400))).to.include(
      'must be one of: waiting',
    );
  });

  it('show a delivery with its attempts, their answers and the request, and nothing that gives access to the listener', async () => {
    const [delivery] = await deadLetters(shown, 1);
    const html = await get(`/deliveries/${delivery?.id}?orgId=${shown}`);
    const text = textOf(html);
    expect(text)
      .to.include('Dead letter')
      .and.to.include('Attempt 2 Answered 500')
      .and.to.include('Attempt 1 Answered 500');
    expect(text).to.include(`webhook-id: ${delivery?.webhookId}`);
    expect(text).to.match(/webhook-timestamp: \d{10} /);
    expect(text).to.include('"index": 0');
    expect(html)
      .to.match(new RegExp(`${new URL(receiver.origin).host}/sh[\\w-]*…`))
      .and.not.to.include(`${new URL(receiver.origin).host}/${shown}`)
      .and.not.to.match(/v1,[A-Za-z0-9+/=]{20}/);
    expect(textOf(await get(`/deliveries/${delivery?.id}?orgId=another`, 404))).to.include('has no delivery');
  });

  it('redeliver one', async () => {
    const [delivery] = await deadLetters(one, 1);
    const before = receiver.received.length;
    const to = await post(`/deliveries/${delivery?.id}/redeliver`, { orgId: one });
    expect(to).to.equal(`/deliveries/${delivery?.id}?orgId=${one}&notice=deliveries-redeliver`);
    expect(textOf(await get(to))).to.include('The delivery is due now.');
    await receiver.has(before + 1);
    expect(receiver.received.at(-1)?.headers['webhook-id']).to.equal(delivery?.webhookId);
    await until(async () => (await list(`orgId=${one}&state=succeeded`)).length === 1, 'its success');
  });

  it('redeliver the selected ones alone', async () => {
    const [first, second] = await deadLetters(selected, 3);
    const page = await get(`/deliveries/redeliver?orgId=${selected}`);
    expect(page.split('type="checkbox"').length - 1).to.equal(3);
    const body = new URLSearchParams([first, second].map((each) => ['ids', each?.id ?? '']));
    const sent = { method: 'POST', headers: { origin: service.origin }, body, redirect: 'manual' } as const;
    const answer = await fetch(`${service.origin}/console/deliveries/redeliver-selected?orgId=${selected}`, sent);
    const to = answer.headers.get('location') ?? '';
    expect(to).to.equal(`/console/deliveries?orgId=${selected}&notice=redelivered.2.0`);
    expect(textOf(await get(to.replace('/console', '')))).to.include('2 deliveries are due now.');
    await until(async () => (await list(`orgId=${selected}&state=succeeded`)).length === 2, 'two successes');
    expect(await list(`orgId=${selected}&state=exhausted`)).to.have.length(1);
  });

  it('redeliver all that match a filter, after saying how many these are', async () => {
    await deadLetters(all, 3);
    const filter = `orgId=${all}&type=order.*`;
    const text = textOf(await get(`/deliveries/redeliver?${filter}`));
    expect(text).to.include('All that match: 3').and.to.include('3 deliveries become due now');
    expect(text).to.include(`Of ${all}, type order.*: deliveries in the state “Dead letter”`);
    expect(await post(`/deliveries/redeliver?${filter}`, {})).to.match(/notice=redelivered\.3\.0$/);
    await until(async () => (await list(`orgId=${all}&state=succeeded`)).length === 3, 'all successes');
    expect(textOf(await get(`/deliveries/redeliver?${filter}`))).to.include('No delivery matches');
  });

  it('say so where nothing was redelivered, because the listener is removed or nothing was selected', async () => {
    const [delivery] = await deadLetters(removed, 1);
    await unsubscribe(service, `${receiver.origin}/${removed}`, removed);
    const refused = await post(`/deliveries/${delivery?.id}/redeliver`, { orgId: removed }, 409);
    expect(textOf(refused)).to.include('Not possible now');
    const ids = delivery?.id ?? '';
    expect(await post(`/deliveries/redeliver-selected?orgId=${removed}`, { ids })).to.match(
      /notice=redelivered\.0\.1$/,
    );
    const none = await post(`/deliveries/redeliver-selected?orgId=${removed}`, {}, 400);
    expect(textOf(none)).to.include('Nothing is selected: select deliveries first.');
  });

  it('say why a delivery waits', async () => {
    const orgId = organisation('paused');
    const { listenerId } = await subscribe(service, `${receiver.origin}/${orgId}`, { orgId });
    expect((await postJson(`/listeners/${listenerId}/pause`, {})).status).to.equal(200);
    await publish(service, { orgId, type: 'flow.completed', data: 1 });
    await until(async () => (await list(`orgId=${orgId}&state=held`)).length === 1, 'a held delivery');
    const [held] = await list(`orgId=${orgId}&state=held`);
    const text = textOf(await get(`/deliveries/${held?.id}?orgId=${orgId}`));
    expect(text).to.include('Waits for the resume of its listener, which is paused');
    expect(text).to.include('No attempt has been made').and.to.include('Nothing has been sent');
    expect(textOf(await get(`/deliveries?orgId=${orgId}`))).to.include('Held listener is paused');
  });

  it('show hostile values of URLs and of flow events as text', async () => {
    const orgId = organisation(hostile);
    await subscribe(service, `${receiver.origin}/hostile`, { orgId, subscriptionType: '*' });
    await publish(service, { orgId, id: hostile, type: 'flow.completed', data: { html: hostile } });
    const query = `orgId=${encodeURIComponent(orgId)}`;
    await until(async () => (await list(`${query}&state=succeeded`)).length === 1, 'its delivery');
    const [delivery] = await list(query);
    for (const path of [
      `/deliveries?${query}&type=${encodeURIComponent(`${hostile}"'`)}`,
      `/deliveries?${query}`,
      `/deliveries/${delivery?.id}?${query}`,
      `/deliveries/redeliver?${query}&state=succeeded&type=flow.*&replay=`,
    ]) {
      const html = await get(path);
      expect(html, path).not.to.include('<img');
      expect(html, path).to.include('&lt;img src=x');
    }
  });
});
