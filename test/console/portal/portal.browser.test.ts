import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const sample = /```html\n([\s\S]*?)```/.exec(readFileSync('docs/portal.md', 'utf8'))?.[1] ?? '';

inChromium('the portal in a frame', (newPage) => {
  let service: ServiceProcess;
  let company: Server;
  let link = '';
  let frames = '';
  const admin = administratorOf(() => service);

  before(async () => {
    const port = await reusablePort();
    const companyPort = await reusablePort();
    // Another site than the service's, so that its cookie is a third party's. Chromium trusts http on both loopback names as https.
    frames = `http://localhost:${companyPort}`;
    service = await startService({
      environment: {
        PORT: String(port),
        LOG_LEVEL: 'info',
        PUBLIC_URL: `https://127.0.0.1:${port}`,
        PORTAL_ORIGINS: frames,
        PORTAL_NAME: 'Example Company',
        PORTAL_LOGO: 'assets/console/favicon.svg',
        PORTAL_COLOURS: '{"light": "#0b57d0", "dark": "#a8c7fa"}',
      },
    });
    company = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(sample.replace('LINK', link));
    });
    await new Promise<void>((resolve) => company.listen(companyPort, 'localhost', resolve));
  });
  after(async () => {
    await service.stop();
    company.close();
  });

  async function newLink(wanted: object): Promise<string> {
    const { body } = await admin.post('/portal-links', wanted);
    return String((body as { url: string }).url).replace('https:', 'http:');
  }

  it('opens on a page of another site that may embed it, with its forms, until it is signed out or erased', async () => {
    await admin.post('/listeners', { orgId: 'acme', hookUrl: 'https://hooks.example.com/1', subscriptionType: '*' });
    link = await newLink({ orgId: 'acme', user: 'ada' });
    const page = await newPage({ origins: [frames, service.origin] });
    await page.goto(frames);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Overview' }).waitFor();
    await frame.getByText('Example Company').first().waitFor();
    const logo = frame.locator('.brand img');
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).to.be.above(0);
    await frame.getByRole('link', { name: 'Listeners', exact: true }).first().click();
    await frame.getByRole('heading', { level: 1 }).waitFor();
    expect(await frame.getByText('Your session has ended').count()).to.equal(0);

    await frame.getByRole('link', { name: 'hooks.example.com' }).first().click();
    await frame.getByRole('link', { name: 'Rotate secret' }).click();
    await frame.getByRole('button', { name: 'Rotate the secret' }).click();
    await frame.getByText('Copy the secret now').waitFor();
    await frame.getByRole('button', { name: 'Sign out' }).click();
    await frame.getByText('You have signed out').waitFor();

    link = await newLink({ orgId: 'acme', user: 'ada' });
    await page.goto(frames);
    await frame.getByRole('heading', { name: 'Overview' }).waitFor();
    await admin.post('/organisations/erase', { orgId: 'acme', confirm: 'acme' });
    page.expectMessages(/401 \(Unauthorized\)/);
    await frame.getByRole('link', { name: 'Deliveries', exact: true }).first().click();
    await frame.getByText('Your session has ended').waitFor();
    const token = new URL(link).searchParams.get('token') ?? 'none';
    await until(() => service.printed().includes('/portal/open'), 'the log of the requests');
    expect(service.printed()).not.to.include(token);
  });

  it('can be used, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage({ colorScheme });
      await page.goto(await newLink({ orgId: 'acme', role: 'viewer' }));
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const accent = await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')");
      expect(accent).to.equal(colorScheme === 'light' ? '#0b57d0' : '#a8c7fa');
      await expectAccessible(page);
    }
  });
});
