import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectAccessible } from '../support/browser/accessibility.js';
import { inChromium } from '../support/browser/chromium.js';
import { administratorOf } from '../support/service/administrator.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

inChromium('the pages of the administration, in a browser', (newPage) => {
  let service: SharedService;
  const type = organisation('order.paid');
  const admin = administratorOf(() => service);

  before(async () => {
    service = await sharedService();
    const headers = { orgid: service.orgId, userid: 'ada' };
    const json = { hookUrl: 'http://127.0.0.1:14009/acme', subscriptionType: 'flow.*' };
    const subscribe = () => service.fetch('/api/hooks/subscribe/flows', { method: 'POST', headers, json });
    await until(async () => (await subscribe()).status === 201, 'the listener');
    const schema = { type: 'object', properties: { total: { type: 'number' } } };
    await admin.post('/event-types', { name: type, description: 'paid', schema, example: { total: 1 } });
    await until(
      async () => (await organisations()).some(({ orgId }) => orgId === service.orgId),
      'the organisation in the view',
    );
  });

  const organisations = async (): Promise<readonly { orgId: string }[]> =>
    ((await admin.get('/organisations?limit=1000')).body as { items: { orgId: string }[] }).items;
  const view = async (name: string) => (await admin.get(`/views/${name}`)).body as { build: string };

  it('are accessible, in light and dark, on a desk and on a phone', async function () {
    this.timeout(300_000);
    const paths = [
      ...[
        '/views',
        '/views/listeners',
        '/views/listeners/rebuild',
        '/organisations',
        `/organisations/show?orgId=${service.orgId}`,
      ],
      ...[
        `/organisations/erase?orgId=${service.orgId}`,
        `/audit?orgId=${service.orgId}`,
        '/audit/seals',
        '/audit/as-of',
        '/tasks',
        '/sessions',
      ],
      ...[
        `/audit/difference?orgId=${service.orgId}&from=2026-01-01T00:00`,
        '/event-types',
        '/event-types/new',
        `/event-types/show?name=${type}`,
        `/event-types/change?name=${type}`,
        `/event-types/retire?name=${type}`,
        '/audit/service',
        '/clients',
        '/clients/new',
        '/api-keys/new',
        '/keys',
        '/set-aside',
        '/operations',
        '/operations/new',
      ],
    ];
    const page = await newPage();
    for (const path of paths) {
      await page.goto(`${service.origin}/console${path}`);
      await expectAccessible(page);
    }
  });

  it('show the current tab on a phone, and say what a time of a key is', async () => {
    const { status } = await admin.post('/api-keys', { name: 'erp', orgId: service.orgId, scopes: ['flows:publish'] });
    expect(status).to.equal(201);
    const page = await newPage({ viewport: { width: 390, height: 844 } });
    await until(async () => {
      const { body } = await admin.get(`/api-keys?orgId=${service.orgId}`);
      return (body as { items: unknown[] }).items.length > 0;
    }, 'the key to be in the list');
    await page.goto(`${service.origin}/console/api-keys?orgId=${service.orgId}`);
    const tab = await page.locator('.tabs [aria-current]').boundingBox();
    expect(tab?.x).to.be.within(0, 390 - (tab?.width ?? 390));
    for (const head of ['Created', 'Last used', 'Expires']) {
      const before = `getComputedStyle(document.querySelector('td[data-head="${head}"]'), '::before').content`;
      expect(await page.evaluate(before)).to.include(head);
    }
  });

  it('show a filter in the differences to its end', async () => {
    const filter = { 'data.customer.country': { $in: ['CH', 'DE', 'AT', 'FR', 'IT'] }, 'data.total': { $gt: 40 } };
    const listener = { orgId: service.orgId, hookUrl: 'http://127.0.0.1:14009/filter', subscriptionType: '*', filter };
    expect((await admin.post('/listeners', listener)).status).to.equal(201);
    const page = await newPage({ viewport: { width: 390, height: 844 } });
    const shown = page.locator('.changes code');
    await until(async () => {
      await page.goto(`${service.origin}/console/audit/difference?orgId=${service.orgId}&from=2026-01-01T00:00`);
      return (await shown.count()) > 0;
    }, 'the filter');
    const box = await shown.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).to.be.below(390);
  });

  it('rebuild a view after a confirmation, and show the new build without reloading', async () => {
    const { build: before } = await view('sessions');
    const page = await newPage();
    await page.goto(`${service.origin}/console/views/sessions`);
    await page.getByText(before).waitFor();
    await page.getByRole('link', { name: 'Rebuild' }).click();
    await page.getByLabel(/Compare with the live build/).check();
    await page.getByRole('button', { name: 'Rebuild' }).click();
    await page.getByText('The rebuild has started.').waitFor();
    await until(async () => (await view('sessions')).build !== before, 'the new build');
    await page.getByText((await view('sessions')).build).waitFor();
    await page.getByText('The rebuild is done: queries go to the new build.').waitFor();
    await page.getByRole('link', { name: 'Rebuild' }).waitFor(); // in place of the button that cancels it
    expect(await page.getByRole('link', { name: 'Cancel the work' }).count()).to.equal(0);
  });

  it('make a seal, find that the history matches it, and then that it was changed', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console/audit/seals`);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Make a seal' }).click();
    const file = join(temporaryDirectory(), 'history.seal');
    await (await saving).saveAs(file);
    await page.getByLabel('File of the seal').setInputFiles(file);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The history matches the seal.').waitFor();

    await page.goto(`${service.origin}/console/audit/seals`);
    writeFileSync(file, 'no seal');
    page.expectMessages(/status of 400/);
    await page.getByLabel('File of the seal').setInputFiles(file);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The first line of the seal is not a statement signed with its key.').waitFor();
  });
});
