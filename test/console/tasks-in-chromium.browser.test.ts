import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from '../support/browser/accessibility.js';
import { inChromium } from '../support/browser/chromium.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

/** `npm run test:tasks`: a company's data; else so much that each page has a few rows. */
const isRealistic = process.env.TASKS_DATA === 'realistic';
const organisations = isRealistic ? 12 : 2;
const listenersEach = isRealistic ? 25 : 2;
const eventsEach = isRealistic ? 300 : 3;

/** Counts the clicks of a task; typing and the search key are none. */
function counting(page: Page) {
  let clicks = 0;
  return {
    async click(target: Locator) {
      clicks += 1;
      await target.click();
    },
    async enter() {
      clicks += 1;
      await page.keyboard.press('Enter');
    },
    atMost: (most: number) => expect(clicks, 'clicks').to.be.at.most(most),
  };
}

inChromium('the tasks of a person on call, in the console', (newPage) => {
  let service: ServiceProcess;
  let sound: Receiver;
  let broken: Receiver;
  const admin = administratorOf(() => service);
  const url = (path: string) => `${service.origin}/console${path}`;
  const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  before(async function () {
    this.timeout(600_000);
    const environment = { RETRY_SCHEDULE: '1s', PORTAL_ALLOWS: 'register,test' };
    service = await startService({ environment });
    [sound, broken] = await Promise.all([startReceiver(), startReceiver()]);
    broken.answer(503);
    for (let organisation = 0; organisation < organisations; organisation += 1) {
      const orgId = organisation === 0 ? 'acme' : `customer-${organisation}`;
      for (let number = 0; number < listenersEach; number += 1) {
        const description = `Workflow ${number}`;
        await subscribe(service, `${sound.origin}/${orgId}/catch/${number}/`, { orgId, description });
      }
      for (let number = 0; number < eventsEach; number += 1)
        await publish(service, { orgId, type: 'flow.completed', data: { number } });
    }
    await admin.post('/event-types', { name: 'flow.order', description: 'An order', searchable: ['data.reference'] });
    await subscribe(service, `${broken.origin}/listeners/catch/481516/zap/`, { description: 'The Zap of acme' });
    const order = (number: number) =>
      publish(service, { id: `order-47${10 + number}`, type: 'flow.order', data: { reference: `R-${4710 + number}` } });
    for (let number = 0; number < 4; number += 1) await order(number);
    await until(async () => (await deadLetters()) > 0, 'a dead letter');
    for (let number = 4; number < 16; number += 1) await order(number);
    const isOpen = async () => (await troubles()).some(({ trouble }) => trouble === 'breaker');
    await until(isOpen, 'the circuit breaker');
  });
  after(async () => {
    await Promise.all([sound.close(), broken.close()]);
    await service.stop();
  });

  const troubles = async () =>
    ((await admin.get('/listeners-in-trouble')).body as { items: { trouble: string; listenerId: string }[] }).items;
  const deadLetters = async () =>
    ((await admin.get('/deliveries?orgId=acme&state=exhausted')).body as { items: unknown[] }).items.length;

  it('what is the backlog, and who causes it: 1 click', async () => {
    const page = await newPage();
    const task = counting(page);
    await page.goto(url(''));
    await task.click(link(page, 'Waiting deliveries'));
    await page.getByRole('heading', { name: 'Backlog by organisation' }).waitFor();
    expect(await page.getByRole('table', { name: 'Backlog by organisation' }).innerText()).to.include('acme');
    expect(await page.getByRole('table', { name: 'Backlog by listener' }).innerText()).to.include(
      new URL(broken.origin).host,
    );
    await expectAccessible(page);
    task.atMost(1);
  });

  it('where is order 4711: by its reference, with the reason of each listener, 3 clicks', async () => {
    const page = await newPage();
    const task = counting(page);
    await page.goto(url('/audit'));
    await page.keyboard.press('/');
    await page.keyboard.type('R-4711');
    await task.enter();
    await link(page, 'order-4711').waitFor();
    await expectAccessible(page);
    await task.click(link(page, 'order-4711'));
    await page.getByText('Dead letter: 1').or(page.getByText('Waiting: 1')).first().waitFor();
    await expectAccessible(page);
    await page.goBack();
    await page.reload();
    await link(page, 'order-4711').waitFor();
    task.atMost(3);
  });

  it('the Zap of acme is broken: why, mended, and delivered, 5 clicks', async () => {
    const page = await newPage();
    const task = counting(page);
    await page.goto(url(''));
    const row = page.getByRole('row', { name: new URL(broken.origin).host });
    await row.getByText('503 Service Unavailable').waitFor();
    await task.click(row.getByRole('link').first());
    await page.getByText(/Circuit open since .* 503 Service Unavailable from .* in a row/).waitFor();
    await expectAccessible(page);
    broken.answer(200);
    await task.click(button(page, 'Try now'));
    await page.getByText('Deliveries get through').waitFor();
    await page.getByText('Delivered').first().waitFor();
    await page.getByText('Tried again', { exact: true }).waitFor();
    expect(await page.locator('.timeline').getByText('Paused').count(), 'pauses in the history').to.equal(0);
    task.atMost(5);

    const again = counting(page); // all that failed since it failed
    await again.click(link(page, 'Redeliver failed deliveries'));
    await again.click(page.getByRole('button', { name: /^Redeliver \d+ deliver/ }));
    await until(async () => (await deadLetters()) === 0, 'the deliveries');
    again.atMost(3);
  });

  it('rotates a secret, sends a test, and sees request and answer: 4 clicks', async () => {
    const page = await newPage();
    const { items } = (await admin.get('/listeners?orgId=acme')).body as { items: { listenerId: string }[] };
    const task = counting(page);
    await page.goto(url(`/listeners/${items[0]?.listenerId}`));
    await task.click(link(page, 'Rotate secret'));
    await task.click(button(page, 'Rotate the secret'));
    await page.getByText('Copy the secret now').waitFor();
    await task.click(button(page, 'Send a test'));
    await page.getByText('The listener accepted it.').waitFor();
    await task.click(link(page, 'Request and answer'));
    await page.getByText('webhook-timestamp').first().waitFor();
    task.atMost(4);
  });

  it('sends one event to all of its listeners again, and pauses several listeners at once: 4 clicks', async () => {
    const page = await newPage();
    const event = counting(page);
    await page.goto(url('/flow-events/show?orgId=acme&id=order-4712'));
    await event.click(link(page, 'Send again to all'));
    await event.click(button(page, 'Send again to all'));
    await page.getByText(/\d+ deliver(y|ies) of it (is|are) due now/).waitFor();
    event.atMost(4);

    const several = counting(page);
    await page.goto(url('/listeners?orgId=customer-1'));
    for (const number of [0, 1]) await several.click(page.getByRole('checkbox').nth(number));
    await several.click(button(page, 'Pause selected'));
    await page.getByText('2 listeners are paused.').waitFor();
    expect(await page.getByText('Paused', { exact: true }).count()).to.be.at.least(2);
    await expectAccessible(page);
    several.atMost(4);
  });

  it('who paused a listener, and what was its filter before: 1 click', async () => {
    const hookUrl = `${sound.origin}/filtered/`;
    await subscribe(service, hookUrl, { orgId: 'customer-1', filter: { 'data.region': 'north' } });
    const { listenerId } = await subscribe(service, hookUrl, {
      orgId: 'customer-1',
      filter: { 'data.region': 'south' },
    });
    await admin.post(`/listeners/${listenerId}/pause`);
    const page = await newPage();
    const task = counting(page);
    await page.goto(url(`/listeners/${listenerId}`));
    const [change] = await page.locator('.timeline li').allInnerTexts();
    expect(change).to.match(/^Paused\s+\d+ \w+ \d+, [\d:]+ by \S+/);
    await task.click(page.getByRole('link', { name: 'Show the listener then' }).last());
    await page.locator('#change-0[aria-current]').waitFor();
    expect(await page.locator('#as-of-state').innerText())
      .to.include('north')
      .and.not.to.include('south');
    task.atMost(1);
  });

  it('creates a key, and registers a client, where a mistake loses nothing: 5 clicks', async () => {
    const page = await newPage();
    page.expectMessages(/400 \(Bad Request\)/);
    const key = counting(page);
    await page.goto(url('/api-keys/new'));
    await page.getByLabel('Name').fill('orders');
    await key.click(button(page, 'Create')); // for no organisation, and no scope
    await page.locator('[aria-invalid]').first().waitFor();
    expect(await page.getByLabel('Name').inputValue()).to.equal('orders');
    await page.getByLabel('Organisation', { exact: true }).fill('acme');
    await key.click(page.getByRole('checkbox', { name: 'listeners:read' }));
    await key.click(button(page, 'Create'));
    await page
      .getByText(/fhk_\w+/)
      .first()
      .waitFor();
    key.atMost(5);

    const client = counting(page);
    await page.goto(url('/clients/new'));
    await page.getByLabel('Name').fill('Zapier');
    await page.getByLabel('Redirect URIs').fill('not a URI');
    await client.click(button(page, 'Register'));
    await page.locator('[aria-invalid]').first().waitFor();
    expect(await page.getByLabel('Name').inputValue()).to.equal('Zapier');
    await page.getByLabel('Redirect URIs').fill('https://zapier.com/dashboard/auth/oauth/return/App1/');
    await client.click(button(page, 'Register'));
    await page
      .getByText(/fhc_\w+/)
      .first()
      .waitFor();
    client.atMost(5);
  });

  it('adds a hook URL with type, filter and transformation as a customer, tries, tests and changes it: 6 clicks', async () => {
    const { body } = await admin.post('/portal-links', { orgId: 'acme', user: 'ada' });
    const page = await newPage();
    page.expectMessages(/400 \(Bad Request\)/);
    const task = counting(page);
    await page.goto(String((body as { url: string }).url));
    await task.click(link(page, 'Listeners'));
    await task.click(link(page, 'Add a listener'));
    await page.getByLabel('Hook URL').fill(`${sound.origin}/own`);
    await page.getByLabel('Type').fill('order.*');
    await page.getByLabel('Filter').fill('{"data.total": {"$gt": }}');
    await page.getByLabel('Transformation').fill('{"id": id, "amount": data.total}');
    await button(page, 'Add').click(); // after a mistake nothing is lost
    await page.getByText('is not valid JSON').first().waitFor();
    expect(await page.getByLabel('Hook URL').inputValue()).to.equal(`${sound.origin}/own`);
    await expectAccessible(page);
    await page.getByLabel('Filter').fill('{"data.total": {"$gt": 40}}');
    await task.click(button(page, 'Add'));
    await page.getByText('Copy it now').waitFor();
    await task.click(link(page, 'To the listener'));
    await task.click(button(page, 'Send a test'));
    await page.getByText('The listener accepted it.').or(page.getByText('did not accept')).waitFor();
    await page.goBack();
    await task.click(link(page, 'Edit'));
    await page.getByLabel('Type').fill('order.paid');
    await page.getByLabel('Type').press('Enter');
    await page.getByText('The subscription is changed.').waitFor();
    await expectAccessible(page);
    task.atMost(6);
  });

  it('erases an organisation, where a wrong confirmation is told at its field: 4 clicks', async () => {
    const page = await newPage();
    page.expectMessages(/400 \(Bad Request\)/);
    const task = counting(page);
    await page.goto(url('/organisations?prefix=customer-1'));
    await task.click(page.getByRole('link', { name: 'customer-1', exact: true }).first());
    await task.click(link(page, 'Erase'));
    const field = page.getByLabel(/Type the ID/);
    await field.fill('customer-2');
    await task.click(button(page, 'Erase the organisation'));
    await page.getByText('nothing was erased').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    await field.fill('customer-1');
    await task.click(button(page, 'Erase the organisation'));
    await page.getByText('The organisation has been erased.').waitFor({ timeout: 60_000 });
    const listed = async () => ((await admin.get('/organisations')).body as { items: unknown[] }).items.length;
    await until(async () => (await listed()) === organisations - 1, 'the organisation to be gone from the view');
    task.atMost(4);
  });
});
