import { expect } from 'chai';
import { expectAccessible } from '../../support/browser/accessibility.js';
import { inChromium } from '../../support/browser/chromium.js';
import { linkOf, openSignInPlace, redirectUri, type SignInPlace } from '../../support/identity-provider/signing-in.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

inChromium('the sign-in page in a browser', (newPage) => {
  let service: SharedService;
  before(async () => {
    service = await sharedService();
  });

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

inChromium('the pages of sign-in with an identity provider in a browser', (newPage) => {
  let place: SignInPlace;
  before(async () => {
    place = await openSignInPlace();
  });
  after(() => place.stop());

  const checks = [
    ['are accessible on a phone, light', { colorScheme: 'light' }, expectAccessible],
    ['are accessible on a phone, dark', { colorScheme: 'dark' }, expectAccessible],
    ['work without JavaScript', { javaScriptEnabled: false }, async () => undefined], // axe would need it
  ] as const;
  for (const [behaviour, options, check] of checks) {
    it(behaviour, async () => {
      const fonts = 'https://fonts.googleapis.com'; // of the provider's pages
      const origins = [place.service().origin, place.provider.issuer, new URL(redirectUri).origin, fonts];
      const viewport = { width: 390, height: 844 };
      const page = await newPage({ ...options, viewport, origins });
      page.expectMessages(/status of 40[34]|ERR_NAME_NOT_RESOLVED/); // the refusal, an icon, the fonts and the platform
      const press = (name: string) => page.getByRole('button', { name }).click();
      async function logIn(login: string): Promise<void> {
        await page.getByPlaceholder(/login/i).fill(login);
        await page.getByPlaceholder(/password/i).fill('x');
        await press('Sign-in');
        await press('Continue');
      }
      /** The answer to which the button leads. */
      async function answerAfter(button: string): Promise<URLSearchParams> {
        const asked = page.waitForRequest((request) => request.url().startsWith(redirectUri));
        const failed = page.waitForEvent('framenavigated', (frame) => frame.url().startsWith('chrome-error:'));
        await press(button);
        await failed; // there is no such platform
        return new URL((await asked).url()).searchParams;
      }

      await page.goto(linkOf(place).href);
      await logIn('eve');
      await page.getByRole('heading', { name: 'Another account is needed' }).waitFor();
      await check(page);
      expect((await answerAfter('Cancel')).get('error')).to.equal('access_denied');

      await page.goto(linkOf(place).href);
      await press('Use another account');
      await logIn('ada');
      if ('javaScriptEnabled' in options) await press('Continue'); // the provider ends the other session with a script
      await page.getByLabel('Globex').check();
      await check(page);
      await press('Continue');
      await page.getByRole('heading', { name: 'Connect Zap & Co?' }).waitFor();
      await check(page);
      expect((await answerAfter('Cancel')).get('error')).to.equal('access_denied');
    });
  }
});
