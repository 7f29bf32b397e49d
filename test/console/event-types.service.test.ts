import { expect } from 'chai';
import { expectedPages } from '../support/console/expected-pages.js';
import { consolePages } from '../support/console/pages.js';
import { textOf } from '../support/console/text-of.js';
import { administratorOf } from '../support/service/administrator.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const hostile = `<img src=x onerror="alert('1')"> שלום”`;

describe('event types in the console', function () {
  this.timeout(60_000);
  let service: ServiceProcess;
  const admin = administratorOf(() => service);
  const { get, post } = expectedPages(() => service);
  const pages = consolePages(() => service);

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const shown = async (name: string) =>
    (await admin.get(`/event-types/show?name=${name}`)).body as Readonly<Record<string, unknown>>;
  const publish = (data: unknown) => service.fetch('/api/flows', { json: { orgId: 'acme', type: 'order.paid', data } });
  const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
  const form = {
    name: 'order.paid',
    description: hostile,
    schema: JSON.stringify(schema),
    example: JSON.stringify({ total: 1, note: hostile }),
  };

  it('state the next step while there are none', async () => {
    expect(textOf(await get('/event-types')))
      .to.include('No event types')
      .and.include('types add order.paid');
  });

  it('are declared with a form, and refused with the wrong place and the input kept', async () => {
    for (const [changes, message] of [
      [{ schema: '{"type":' }, 'schema: is not valid JSON'],
      [{ schema: '{"type":"nummer"}' }, 'schema.type: must be equal to one of the allowed values'],
      [{ example: '{"total":"x"}' }, 'example: the schema does not accept it: data.total: must be number'],
      [{ name: 'order.*' }, 'name: must be 1 to 128 letters'],
    ] as const) {
      const html = await post('/event-types/new', { ...form, ...changes }, 400);
      expect(textOf(html)).to.include(message);
      expect(html).to.include('&lt;img src=x').and.not.to.include('<img');
    }
    expect((await admin.get('/event-types/show?name=order.paid')).status).to.equal(404);

    const to = await post('/event-types/new', { ...form, searchable: 'data.total, data.note' });
    expect(to).to.equal('/event-types/show?name=order.paid&notice=event-types-new');
    expect(await shown('order.paid')).to.deep.equal({
      ...{ name: 'order.paid', state: 'declared', version: 1, description: hostile },
      ...{ schema, example: { total: 1, note: hostile }, searchable: ['data.total', 'data.note'] },
    });
    expect(textOf(await post('/event-types/new', form, 409))).to.include('is declared already');
  });

  it('are listed, and shown with schema, example and versions, hostile texts as text', async () => {
    await until(async () => (await get('/event-types')).includes('show?name=order.paid'), 'the view');
    for (const path of ['/event-types', '/event-types/show?name=order.paid', '/event-types/change?name=order.paid']) {
      const html = await get(path);
      expect(html, path).to.include('&lt;img src=x').and.not.to.include('<img');
    }
    const text = textOf(await get('/event-types/show?name=order.paid'));
    expect(text)
      .to.include('Declared: version 1')
      .and.include('"required": ["total"]')
      .and.include('admin:development');
    await get('/event-types/show?name=order.unknown', 404);
  });

  it('are changed, with fields that are emptied removed; without a change there is no version', async () => {
    const changed = { ...form, description: 'An order was paid', example: '' };
    expect(await post('/event-types/change', changed)).to.match(/notice=event-types-change$/);
    expect(await shown('order.paid')).to.include({ version: 2, description: 'An order was paid', example: null });
    expect(await post('/event-types/change', changed)).to.match(/notice=event-type-unchanged$/);
    const refused = await post('/event-types/change', { ...changed, schema: '[]' }, 400);
    expect(refused).to.match(
      /<textarea name="schema"[^>]* aria-invalid[^>]*>\[\]<\/textarea><p id="field-schema-error"/,
    );
    const text = textOf(await get('/event-types/show?name=order.paid'));
    expect(text).to.include('Changed: version 2').and.include('Declared: version 1');
    const first = textOf(await get('/event-types/show?name=order.paid&after=1'));
    expect(first).to.include('Declared: version 1').and.not.to.include('Changed: version 2');
  });

  it('are checked as set on the page of the organisation, and mismatches are listed', async () => {
    expect((await publish({})).status).to.equal(202);
    await post('/organisations/event-type-check', { orgId: 'acme', eventTypeCheck: 'refuse' });
    await until(async () => (await publish({})).status === 400, 'the check to be in force');
    expect(await get('/organisations/show?orgId=acme')).to.match(/<option value="refuse" selected>/);
    await post('/organisations/event-type-check', { orgId: 'acme', eventTypeCheck: 'sometimes' }, 400);
    // Saving the defaults of listeners keeps the check.
    await post('/organisations/settings', { orgId: 'acme', ordered: 'true' });
    expect((await admin.get('/organisations/settings?orgId=acme')).body).to.include({ eventTypeCheck: 'refuse' });
    expect(textOf(await get('/event-types'))).to.match(/order\.paid 0 \d+ data: must have required property 'total'/);
  });

  it('are shown as a refusal in the form for publishing, which keeps the input', async () => {
    const event = { orgId: 'acme', type: 'order.paid', data: '{"total":"many"}', id: 'typed' };
    const html = await post('/flow-events/publish', event, 400);
    expect(textOf(html)).to.include('data.total: must be number (event type order.paid, version 2).');
    expect(html).to.include('many');
  });

  it('are shown as warnings after publishing, with all differences, where the organisation only warns', async () => {
    await post('/organisations/event-type-check', { orgId: 'acme', eventTypeCheck: 'warn' });
    const stricter = JSON.stringify({ ...schema, required: ['total', 'number'] });
    await post('/event-types/change', { ...form, description: 'An order was paid', schema: stricter, example: '' });
    const publishWrong = (id: string) =>
      pages.post('/flow-events/publish', { orgId: 'acme', type: 'order.paid', data: '{"total":"many"}', id });
    let text = '';
    await until(async () => {
      text = textOf((await publishWrong(`warned-${Math.random()}`)).html);
      return text.includes('must have required');
    }, 'the check and the schema to be in force');
    expect(text).to.include('published, with warnings').and.include('To the flow event');
    expect(text).to.include("data: must have required property 'number'; data.total: must be number (event type");
  });

  it('are retired after a confirmation, and declared again with the next version', async () => {
    expect(textOf(await get('/event-types/retire?name=order.paid'))).to.include('they are no longer checked');
    expect(await post('/event-types/retire', { name: 'order.paid' })).to.match(/notice=event-types-retire$/);
    expect(await shown('order.paid')).to.include({ state: 'retired' });
    const html = await get('/event-types/show?name=order.paid');
    expect(html).to.include('Declare it again').and.not.to.include('/event-types/change');
    expect(await get('/event-types/new?name=order.paid')).to.include('An order was paid');
    await post('/event-types/new', { name: 'order.paid', description: 'Paid' });
    expect(await shown('order.paid')).to.include({ state: 'declared', version: 4, schema: null });
  });

  it('are in the history of the service, with a link', async () => {
    const html = await get('/audit/service');
    for (const event of ['EventTypeDeclared', 'EventTypeChanged', 'EventTypeRetired']) expect(html).to.include(event);
    expect(html).to.include('/console/event-types/show?name=order.paid').and.not.to.include('<img');
  });
});
