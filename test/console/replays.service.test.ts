import { expect } from 'chai';
import { consolePages } from '../support/console/pages.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, type Subscription, subscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

describe('replays in the console', () => {
  let service: SharedService;
  let receiver: Receiver;
  let listener: Subscription;
  const pages = consolePages(() => service);
  const admin = administratorOf(() => service);
  const form = () => pages.get(`/listeners/${listener.listenerId}/replay`);
  const start = (fields: Readonly<Record<string, string>>) =>
    pages.post(`/listeners/${listener.listenerId}/replay`, fields);
  const idIn = (html: string) => /name="id" value="([0-9a-f-]{36})"/.exec(html)?.[1] ?? '';

  before(async () => {
    service = await sharedService();
    expect((await pages.get(`/replays?orgId=${service.orgId}`)).html).to.include('There are no replays');
    for (const number of [1, 2, 3])
      await publish(service, { type: 'flow.done', id: `event-${number}`, data: { number } });
    await publish(service, { type: 'order.paid', id: 'order', data: {} });
    receiver = await startReceiver();
    listener = await subscribe(service, `${receiver.origin}/replayed`);
  });
  after(() => receiver.close());

  it('are started by the form of a listener, once also if it is sent twice, and show their progress', async () => {
    const id = idIn((await form()).html);
    const fields = { id, from: '', to: '', type: '', eventId: '', ratePerSecond: '1000' };
    const started = await start(fields);
    expect([started.status, started.location]).to.deep.equal([303, `/console/replays/${id}?notice=listeners-replay`]);
    await receiver.has(3);
    await until(async () => (await pages.get(`/replays/${id}`)).html.includes('Completed'), 'its end');
    const { html } = await pages.get(`/replays/${id}?notice=listeners-replay`);
    await until(
      async () => !(await pages.get(`/replays/${id}`)).html.includes('/cancel"'),
      'a page without a button that cancels: all is delivered',
    );
    expect(html).to.include('The replay has started').and.include('100 %').and.include('admin:development');
    expect(html).to.include('/console/live/replays/');

    expect((await start(fields)).status).to.equal(303);
    const { items } = (await admin.get(`/replays?orgId=${service.orgId}`)).body as { items: { id: string }[] };
    expect(items.map((replay) => replay.id)).to.deep.equal([id]);
    expect(receiver.received.map(({ body }) => JSON.parse(body).id)).to.have.members(['event-1', 'event-2', 'event-3']);
  });

  it('send a period, a type, or one flow event, as the form says', async () => {
    const future = await start({ id: idIn((await form()).html), from: '2199-01-01T00:00', ratePerSecond: '50' });
    const inFuture = (await pages.get(future.location.slice('/console'.length))).html;
    expect(inFuture).to.include('2199-01-01');
    const one = await start({ id: idIn((await form()).html), eventId: 'order', type: '', ratePerSecond: '50' });
    expect(one.status).to.equal(303);
    await until(() => receiver.received.some(({ body }) => JSON.parse(body).id === 'order'), 'the order');
    const unknown = await start({ id: idIn((await form()).html), eventId: 'never' });
    expect(unknown.status).to.equal(404);
    expect((await start({ id: idIn((await form()).html), ratePerSecond: '0' })).status).to.equal(400);
    expect((await start({ id: idIn((await form()).html), from: 'x' })).status).to.equal(400);
  });

  it('are cancelled after a confirmation, with the deliveries that wait', async () => {
    const id = idIn((await form()).html);
    await start({ id, ratePerSecond: '0.5' });
    expect((await pages.get(`/replays/${id}/cancel`)).html).to.include('waiting and held deliveries are cancelled');
    expect((await pages.post(`/replays/${id}/cancel`)).location).to.include('replays-cancel');
    expect((await admin.get(`/replays/${id}`)).body).to.include({ state: 'cancelled', endedBy: 'admin:development' });
    const { html } = await pages.get(`/replays/${id}`);
    expect(html).to.include('Cancelled').and.not.to.include('/cancel"');
  });

  it('are listed, the latest first, of one organisation or listener', async () => {
    const listed = async (query: string) =>
      [...(await pages.get(`/replays${query}`)).html.matchAll(/\/console\/replays\/([0-9a-f-]{36})"/g)].map(
        ([, id]) => id,
      );
    const { items } = (await admin.get(`/replays?order=latest&orgId=${service.orgId}`)).body as {
      items: { id: string }[];
    };
    const own = `?orgId=${service.orgId}`;
    await until(async () => (await listed(own)).length === items.length && items.length === 4, 'the view');
    expect(await listed(own)).to.deep.equal(items.map(({ id }) => id));
    expect(await listed(`?listenerId=${listener.listenerId}`)).to.have.length(4);
    expect(await listed(`?orgId=${organisation()}`)).to.deep.equal([]);
    expect((await pages.get(`/listeners/${listener.listenerId}`)).html).to.include(`/console/replays/${items[0]?.id}`);
    expect((await pages.get('/replays/00000000-0000-4000-8000-000000000000')).status).to.equal(404);
  });
});
