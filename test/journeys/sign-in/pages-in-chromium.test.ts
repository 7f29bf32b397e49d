import { expect } from 'chai';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

inChromium('the sign-in page in a browser', (newPage) => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible on a phone, ${colorScheme}`, async () => {
      const page = await newPage({ colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto(`${service.origin}/sign-in`);
      await expectAccessible(page);
    });
  }

  it('signs a user in', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/sign-in`);
    await page.getByLabel(/user/i).fill('ada');
    await page.getByLabel(/organi/i).fill('acme');
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.waitForURL(/\/sign-in/);
    expect(await page.locator('code').count()).to.be.greaterThan(0);
  });
});
