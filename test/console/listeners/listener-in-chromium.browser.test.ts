import { expect } from 'chai';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, type Subscription, subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

inChromium('listeners in a browser', (newPage) => {
  let service: SharedService;
  let receiver: Receiver;
  let listener: Subscription;
  let selecting: Subscription;
  const admin = administratorOf(() => service);
  const shown = async () => (await admin.get(`/listeners/${listener.listenerId}`)).body as Record<string, unknown>;

  before(async () => {
    service = await sharedService();
    receiver = await startReceiver();
    listener = await subscribe(service, `${receiver.origin}/'"><img src=x onerror=alert(1)>`);
    selecting = await subscribe(service, 'https://hooks.example.com/selecting', {
      subscriptionType: 'order.*',
      filter: { 'data.total': { $gt: 40 } },
      transform: '{"id": id, "amount": data.total}',
    });
    for (const ordered of [true, false]) await admin.post(`/listeners/${listener.listenerId}/options`, { ordered });
  });
  after(() => receiver.close());

  it('finds a listener by its URL, and performs the actions of its buttons', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console/listeners`);
    await page.getByLabel('URL, or a part of it').fill(receiver.origin.toUpperCase());
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: receiver.origin }).click();
    await page.getByRole('heading', { level: 1, name: 'img' }).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The listener is paused').waitFor();
    expect(await shown()).to.include({ state: 'paused' });
    await publish(service, { type: 'flow.one', id: 'held-one', data: {} });
    await page.getByRole('link', { name: 'held-one' }).waitFor(); // by a live update
    await page.getByRole('link', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Resume and deliver held ones' }).click();
    await receiver.has(1);
    await page.getByText('deliveries that were held are due').waitFor();
    expect(await shown()).to.include({ state: 'active' });
  });

  it('moves the slider by the arrow keys from change to change, in an address that can be shared', async () => {
    const { items } = (await admin.get(`/listeners/${listener.listenerId}/timeline`)).body as {
      items: { at: string; revision: string; type: string }[];
    };
    const page = await newPage();
    await page.goto(`${service.origin}/console/listeners/${listener.listenerId}`);
    const slider = page.getByRole('slider', { name: 'Instant' });
    const current = page.locator('.timeline li[aria-current]');
    await slider.focus();
    for (const { at, revision } of items) {
      await page.keyboard.press('ArrowLeft');
      await page.waitForURL((url) => url.searchParams.get('at') === at);
      const told = await page.locator('#as-of-state .as-of-sentence time').innerText(); // in the viewer's zone
      await page.waitForFunction(
        (text) => document.activeElement?.getAttribute('aria-valuetext')?.startsWith(text),
        told,
      );
      expect(await slider.inputValue()).to.equal(String(Date.parse(at)));
      expect(await current.getAttribute('id')).to.equal(`change-${revision}`);
    }
    await page.keyboard.press('ArrowLeft'); // there is nothing before the first change
    await page.keyboard.press('ArrowRight');
    const second = items.at(-2)?.at ?? '';
    await page.waitForURL((url) => url.searchParams.get('at') === second);
    expect(await page.locator('#as-of-state').innerText()).to.include('One at a time, in order');

    const other = await newPage();
    await other.goto(page.url());
    expect(await other.locator('#as-of-state').innerText()).to.include('One at a time, in order');
    const field = other.getByLabel('Instant (Europe/Zurich)'); // in the viewer's zone, and sent in UTC
    const local = await field.inputValue();
    expect(Date.parse(`${local}+01:00`) - Date.parse(second)).to.be.oneOf([0, 3_600_000]);
    expect(await other.evaluate('new FormData(document.querySelector(".as-of")).get("at")')).to.equal(second);
  });

  it('follows the slider as it is dragged', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console/listeners/${listener.listenerId}`);
    const slider = page.getByRole('slider', { name: 'Instant' });
    await slider.fill(await slider.getAttribute('min').then((min) => min ?? ''));
    await page.waitForURL(/\?at=/);
    await page.locator('#change-0[aria-current]').waitFor();
    await page.evaluate('window.stays = true');
    await page.getByRole('link', { name: 'Change after' }).click();
    await page.locator('#change-1[aria-current]').waitFor();
    await page.getByRole('link', { name: 'Show the listener then' }).last().click();
    await page.locator('#change-0[aria-current]').waitFor();
    expect(await page.evaluate('window.stays'), 'the same page').to.equal(true);
  });

  it('shows an instant without scripts', async () => {
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${service.origin}/console/listeners/${listener.listenerId}`);
    expect(await page.locator('.slider').isVisible()).to.equal(false);
    await page.getByRole('link', { name: 'Change before' }).click();
    await page.getByRole('link', { name: 'Change before' }).click();
    await page.waitForURL(/\?at=/);
    await page.getByLabel('Instant (UTC)').fill('2001-02-03T04:05');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('had not been registered yet').waitFor();
  });

  it('is accessible on a desktop and on a phone, light and dark', async () => {
    const page = await newPage();
    const own = ['', '/options', '/rotate-secret', '/replay', '/unsubscribe', '/explain'];
    for (const path of [
      ...own.map((each) => `/listeners/${listener.listenerId}${each}`),
      ...['', '/try'].map((each) => `/listeners/${selecting.listenerId}${each}`),
      ...['/listeners', '/replays'],
    ]) {
      await page.goto(`${service.origin}/console${path}`);
      await expectAccessible(page);
    }
  });

  it('is as wide as a narrower window at once, before its charts are drawn anew', async () => {
    const page = await newPage();
    await page.addInitScript('window.ResizeObserver = class { observe() {} }');
    await page.goto(`${service.origin}/console/listeners/${listener.listenerId}`);
    await page.locator('.chart canvas').first().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
  });

  it('keeps the focus on the row and on the button that it was on, when live updates bring others', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console/flow-events?orgId=focus`);
    await publish(service, { orgId: 'focus', id: 'first', type: 'order.paid', data: 1 });
    const link = page.getByRole('link', { name: 'first', exact: true });
    await link.focus();
    for (const id of ['second', 'third']) {
      await publish(service, { orgId: 'focus', id, type: 'order.paid', data: 1 });
      await page.getByRole('link', { name: id, exact: true }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent'), `after ${id}`).to.equal('first');
    }

    const failing = await subscribe(service, 'http://127.0.0.1:14009/closed', { orgId: 'focus' });
    await page.goto(`${service.origin}/console/listeners/${failing.listenerId}`);
    await page.getByRole('button', { name: 'Send a test' }).focus();
    await publish(service, { orgId: 'focus', type: 'flow.completed', data: 1 });
    await page.getByRole('button', { name: 'Try now' }).waitFor(); // before the others
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Send a test');
  });

  it('is as wide, and its rows as high, with the longest description and URL', async () => {
    const path = `${'segment-'.repeat(60)}?key=${'x'.repeat(500)}`;
    const long = await subscribe(service, `http://127.0.0.1:14009/${path}`, {
      orgId: 'long',
      description: 'W'.repeat(256),
    });
    const page = await newPage();
    await page.goto(`${service.origin}/console/listeners?orgId=long`);
    const row = page.getByRole('row').nth(1);
    const height = async () => (await row.boundingBox())?.height ?? 0;
    const before = await height();
    expect(before).to.be.below(120);
    await row.getByRole('link').first().focus();
    await row.hover();
    expect(await height(), 'with the focus').to.equal(before);
    for (const at of ['/listeners?orgId=long', `/listeners/${long.listenerId}`, `/listeners/${long.listenerId}/edit`]) {
      await page.goto(`${service.origin}/console${at}`);
      await expectAccessible(page); // which measures the width
    }
  });

  it('tries an event, whose result can be copied, and says which condition failed', async () => {
    const page = await newPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${service.origin}/console/listeners/${selecting.listenerId}`);
    await page.getByRole('link', { name: 'Try an event' }).click();
    await page.getByLabel('Type').fill('order.paid');
    await page.getByLabel('ID').fill('tried');
    await page.getByLabel('Content (JSON)').fill('{"total": 41}');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('The listener would receive this body.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('{"id": "tried", "amount": 41}');

    await page.getByLabel('Content (JSON)').fill('{"total": 40}');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('data.total.$gt 40 failed on 40').waitFor();
  });

  it('shows the progress of a replay as it happens', async () => {
    await until(async () => (await shown()).state === 'active', 'the listener');
    const page = await newPage();
    await page.goto(`${service.origin}/console/listeners/${listener.listenerId}/replay`);
    await page.getByRole('button', { name: 'Start the replay' }).click();
    await page.getByText('The replay has started').waitFor();
    await page.getByText('completed').waitFor();
    await page.getByText('100 %').first().waitFor();
    await page.getByRole('link', { name: /^Cancel/ }).waitFor({ state: 'detached' }); // nothing of it waits any more
  });
});
