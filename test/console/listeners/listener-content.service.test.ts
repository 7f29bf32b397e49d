import { expect } from 'chai';
import { expectedPages } from '../../support/console/expected-pages.js';
import { textOf } from '../../support/console/text-of.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const hostile = `<img src=x onerror="alert('1')"> שלום”`;
const transform = `{"id": id, "amount": data.total + 0, "note": "${hostile.replaceAll('"', '\\"')}"}`;

describe('the content for a listener, in the console', () => {
  let service: SharedService;
  let receiver: Receiver;
  let listener: string;
  const order = organisation('order');
  const admin = administratorOf(() => service);
  const { get, post } = expectedPages(() => service);

  const subscribed = async (path: string, fields: object) =>
    (await subscribe(service, `${receiver.origin}${path}`, { subscriptionType: `${order}.*`, ...fields })).listenerId;
  /** The value of a field of a form. */
  const field = (html: string, name: string) =>
    textOf(
      new RegExp(`name="${name}"[^>]*?(?:value="([^"]*)"|>([^<]*)</textarea>)`).exec(html)?.slice(1).join('') ?? '',
    );

  before(async () => {
    service = await sharedService();
    receiver = await startReceiver();
    listener = await subscribed('/hook', { filter: { 'data.total': { $gt: 40 } } });
    await new Promise((resolve) => setTimeout(resolve, 5)); // the changes are at different milliseconds
    await subscribed('/hook', { filter: { 'data.note': { $ne: hostile } }, transform });
  });
  after(() => receiver.close());

  it('is shown with its filter and transformation, to copy, hostile texts as text', async () => {
    const html = await get(`/listeners/${listener}`);
    expect(html).not.to.include('<img');
    const copied = [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, text = '']) =>
      text.replaceAll('&quot;', '"').replaceAll('&lt;', '<'),
    );
    expect(JSON.parse(copied[1] ?? '')).to.deep.equal({ 'data.note': { $ne: hostile } });
    expect(copied[2]).to.equal(transform);
    expect(textOf(html)).to.include('"amount": data.total + 0');
    const plain = await subscribed('/plain', {});
    expect(textOf(await get(`/listeners/${plain}`)))
      .to.include('None: all events')
      .and.include('None: each event as it is');
  });

  it('is shown as of an instant, and each change in the timeline', async () => {
    const { items } = (await admin.get(`/listeners/${listener}/timeline`)).body as { items: { at: string }[] };
    const first = textOf(await get(`/listeners/${listener}/at?at=${encodeURIComponent(items.at(-1)?.at ?? '')}`));
    expect(first).to.include('{"data.total": {"$gt": 40}}').and.include('None: each event as it is');
    const timeline = textOf(await get(`/listeners/${listener}`));
    expect(timeline).to.include('Filter: {"data.total":{"$gt":40}} → {"data.note"');
    expect(timeline)
      .to.include('Transformation: none → {"id": id')
      .and.include('Filter: {"data.total":{"$gt":40}} Order');
  });

  it('is tried with a sample, then the example of a declared type, then the latest flow event, or one that is named', async () => {
    const sample = await get(`/listeners/${listener}/try`);
    expect([field(sample, 'type'), field(sample, 'id')]).to.deep.equal([`${order}.sample`, '']);
    expect(field(sample, 'data')).to.include('A sample flow');

    await admin.post('/event-types', {
      name: `${order}.paid`,
      description: 'paid',
      example: { total: 7, note: hostile },
    });
    await until(
      async () => (await get(`/listeners/${listener}/try`)).includes('example of a declared'),
      'the declared type',
    );
    const declared = await get(`/listeners/${listener}/try`);
    expect(declared).to.include('&lt;img src=x').and.not.to.include('<img');
    expect(JSON.parse(field(declared, 'data'))).to.deep.equal({ total: 7, note: hostile });

    await publish(service, { id: 'one', type: `${order}.sent`, data: { total: 1 } });
    await publish(service, { id: 'two', type: `${order}.sent`, data: { total: 2 } });
    await publish(service, { id: 'other', type: 'flow.done', data: { total: 3 } });
    await until(async () => field(await get(`/listeners/${listener}/try`), 'id') === 'two', 'the latest event');
    const named = await get(`/listeners/${listener}/try?eventId=one`);
    expect([field(named, 'id'), field(named, 'type')]).to.deep.equal(['one', `${order}.sent`]);
    await get(`/listeners/${listener}/try?eventId=unknown`, 404);
    await receiver.has(4); // both events at both listeners
  });

  const tried = (fields: Readonly<Record<string, string>>, status = 200) =>
    post(`/listeners/${listener}/try`, { type: `${order}.paid`, data: '{"total":41}', id: 'tried', ...fields }, status);

  it('is the body after the transformation; nothing is sent or recorded', async () => {
    const received = receiver.received.length;
    const html = await tried({});
    expect(html).not.to.include('<img');
    expect(textOf(html)).to.match(/The listener would receive this body\. .*"id": "tried", "amount": 41,/);
    expect(receiver.received).to.have.length(received);
    expect((await admin.get(`/flows/tried?orgId=${service.orgId}`)).status).to.equal(404);
  });

  it('is nothing, with the condition that failed on a value, the type, or the reason of the transformation', async () => {
    const because = async (fields: Readonly<Record<string, string>>) =>
      /Nothing would be sent: (.*?)\. Event/.exec(textOf(await tried(fields)))?.[1];
    const excluded = JSON.stringify({ total: 1, note: hostile });
    expect(await because({ data: excluded }))
      .to.include('data.note.$ne')
      .and.include('failed on "<img src=x');
    expect(await tried({ data: excluded })).not.to.include('<img');
    expect(await because({ type: 'flow.done' })).to.include(`subscribed to ${order}.*`);
    expect(await because({ data: '{"total":"many"}' })).to.match(/transformation fails.* must evaluate to a number/);
  });

  it('is not tried with an invalid event; the form keeps the input', async () => {
    for (const [fields, message] of [
      [{ data: '{"total":' }, 'data: is not valid JSON'],
      [{ type: 'order paid' }, 'type: must be 1 to 128 letters'],
      [{ occurredAt: 'yesterday' }, 'occurredAt: must be an ISO 8601'],
    ] as const) {
      const html = await tried(fields, 400);
      expect(textOf(html)).to.include(message);
      expect(field(html, 'id')).to.equal('tried');
    }
  });

  it('is the reason on the pages of explanations and of a dead letter, which lead to a trial', async () => {
    await publish(service, { id: 'wrong', type: `${order}.paid`, data: { total: 'many' } });
    await publish(service, { id: 'excluded', type: `${order}.paid`, data: { total: 1, note: hostile } });
    const items = async () =>
      (
        (await admin.get(`/deliveries?orgId=${service.orgId}&listenerId=${listener}&state=exhausted`)).body as {
          items: { id: string }[];
        }
      ).items;
    await until(async () => (await items()).length === 1, 'the dead letter');
    const delivery = await get(`/deliveries/${(await items())[0]?.id}?orgId=${service.orgId}`);
    expect(textOf(delivery)).to.include('Not sent: the transformation failed').and.include('must evaluate to a number');
    expect(textOf(delivery)).to.include('Nothing has been sent at the latest attempt.');
    expect(delivery).to.include(`/listeners/${listener}/try?eventId=wrong`);

    const explained = textOf(await get(`/listeners/${listener}/explain?eventId=excluded`));
    expect(explained).to.include('data.note.$ne').and.include('Filter then').and.include('Try it with the present');
    for (const eventId of ['excluded', 'wrong']) {
      const html = await get(`/flow-events/show?orgId=${service.orgId}&id=${eventId}`);
      expect(html).not.to.include('<img');
      expect(textOf(html)).to.include(eventId === 'wrong' ? 'must evaluate to a number' : 'data.note.$ne');
    }
  });

  it('is the event before the transformation on the page of a delivery that was sent, which says so', async () => {
    const { body } = await admin.get(`/deliveries?orgId=${service.orgId}&listenerId=${listener}&state=succeeded`);
    const [sent] = (body as { items: { id: string }[] }).items;
    expect(textOf(await get(`/deliveries/${sent?.id}?orgId=${service.orgId}`))).to.include(
      'below is the event before it',
    );
  });

  it('is not tried for a listener that was removed', async () => {
    const removed = await subscribed('/removed', {});
    await admin.post(`/listeners/${removed}/unsubscribe`, {});
    expect(await get(`/listeners/${removed}`)).not.to.include(`/listeners/${removed}/try`);
    await post(`/listeners/${removed}/try`, { type: `${order}.paid`, data: '1' }, 404);
  });
});
