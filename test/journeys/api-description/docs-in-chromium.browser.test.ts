import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

inChromium('the page /docs in a browser', (newPage) => {
  let service: SharedService;
  before(async () => {
    service = await sharedService();
  });

  type Page = Awaited<ReturnType<typeof newPage>>;

  const open = async (page: Page, path = '/docs') => {
    await page.goto(`${service.origin}${path}`);
    await page.locator('.opblock-tag').first().waitFor({ timeout: 60_000 });
  };
  const openSubject = (page: Page, name: string) => page.locator(`.opblock-tag[data-tag="${name}"]`).click();
  const routeOf = (page: Page, operationId: string) => page.locator(`[id$="-${operationId}"]`);
  const authorise = async (page: Page, scheme: string, values: readonly string[]) => {
    await page.locator('.scheme-container .authorize').click();
    const box = page.locator('.auth-container', {
      has: page.getByRole('heading', { name: new RegExp(`^${scheme}\\b`) }),
    });
    for (const [index, value] of values.entries()) await box.locator('input').nth(index).fill(value);
    await box.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.close-modal').click();
  };
  /** The address that the page has once it has opened a route. */
  let addressOfFlows: string | undefined;
  const addressOf = async (page: Page, operationId: string) => {
    const control = routeOf(page, operationId).locator('.opblock-summary-control');
    await control.click(); // closes it
    await control.click();
    const { pathname, hash } = new URL(page.url());
    return pathname + hash;
  };
  /** Sends the request of an open route; resolves to the status and the body of the answer. */
  const execute = async (route: ReturnType<typeof routeOf>) => {
    await route.locator('.execute').click();
    const answer = route.locator('.live-responses-table .response');
    return {
      status: await answer.locator('.response-col_status').innerText(),
      body: await answer.locator('.highlight-code').first().innerText(),
    };
  };

  const openOnPhone = async (colorScheme: 'light' | 'dark', path?: string) => {
    const page = await newPage({ colorScheme, viewport: { width: 390, height: 844 } });
    await open(page, path);
    const subject = await page.locator('.opblock-tag small').first().boundingBox();
    expect(subject?.width, 'the text of a subject').to.be.above(300);
    return page;
  };
  const expectReadable = async (page: Page, ...operationIds: readonly string[]) => {
    for (const operationId of operationIds)
      await routeOf(page, operationId).locator('.opblock-summary-control').click();
    await routeOf(page, 'showDelivery').locator('.execute').waitFor();
    await expectAccessible(page, { asItIs: true });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
  };

  it('is accessible and fits a phone, light, and sends requests with an admin key, and with the credentials of a client', async () => {
    const page = await openOnPhone('light');
    await openSubject(page, 'Producers: flow events');
    await openSubject(page, 'Operators: deliveries');
    await expectReadable(page, 'publishFlowEvent', 'showDelivery');
    await authorise(page, 'adminKey', [readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim()]);
    await openSubject(page, 'Operators: API keys');
    const keys = routeOf(page, 'createApiKey');
    await keys.locator('.opblock-summary-control').click();
    const { status, body } = await execute(keys);
    expect(status).to.match(/^201/);
    expect(body).to.include('"key"');

    await authorise(page, 'clientCredentials', ['platform', 'a-secret']);
    await openSubject(page, 'Platforms: sign-in and tokens');
    const revoke = routeOf(page, 'revokeToken');
    await revoke.locator('.opblock-summary-control').click();
    const sent = page.waitForRequest(`${service.origin}/revoke`);
    expect((await execute(revoke)).status).to.match(/^200/);
    expect((await sent).headers().authorization).to.equal(`Basic ${btoa('platform:a-secret')}`);
    addressOfFlows = await addressOf(page, 'publishFlowEvent');
  });

  it('has an address for each route, and opens it there, accessible on a phone, dark', async () => {
    const page = await openOnPhone('dark', addressOfFlows);
    await routeOf(page, 'publishFlowEvent').locator('.execute').waitFor();
    await openSubject(page, 'Operators: deliveries');
    await expectReadable(page, 'showDelivery');
  });
});
