import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { administratorOf } from '../../support/service/administrator.js';
import { reusablePort } from '../../support/service/reusable-port.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

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

  it('opens on a page of another site that may embed it, and stays signed in there', async () => {
    link = await newLink({ orgId: 'acme', user: 'ada' });
    const page = await newPage({ origins: [frames, service.origin] });
    await page.goto(frames);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Overview' }).waitFor();
    await frame.getByText('Example Company').first().waitFor();
    await frame.getByRole('link', { name: 'Listeners', exact: true }).first().click();
    await frame.getByRole('heading', { level: 1 }).waitFor();
    expect(await frame.getByText('Your session has ended').count()).to.equal(0);
    const token = new URL(link).searchParams.get('token') ?? 'none';
    expect(service.printed()).to.include('/portal/open').and.not.include(token);
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
