import { expect } from 'chai';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { expectAccessible } from '../support/browser/accessibility.js';
import { inChromium } from '../support/browser/chromium.js';
import { productionConsole } from '../support/console/production-console.js';
import { publish } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

inChromium('the console', (newPage) => {
  const dataDirectory = temporaryDirectory();
  let service: ServiceProcess;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    environment = { PORT: String(await reusablePort()) };
    service = await startService({ dataDirectory, environment });
  });
  after(() => service.stop());

  const figure = (label: string) => `dt:has-text("${label}") ~ dd >> nth=1`;

  it('shows the overview, and updates it without reloading', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Overview');
    expect(await page.getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).to.equal('page');
    await page.getByText('No flow event has been published yet').waitFor();
    await page.evaluate('window.isTheSamePage = true');
    await publish(service, { type: 'flow.completed', data: {} });
    await page.locator(figure('Flow events'), { hasText: '1 in 1 h' }).waitFor();
    await page.locator('canvas').first().waitFor();
    expect(await page.getByRole('status', { name: '' }).filter({ hasText: 'Live' }).count()).to.equal(1);
    expect(await page.evaluate('window.isTheSamePage')).to.equal(true);
    await expectAccessible(page);
  });

  it('says so while the service is away, and continues when it returns', async () => {
    const page = await newPage();
    page.expectMessages(/Failed to load resource|ERR_/);
    await page.goto(`${service.origin}/console/health`);
    await page.getByText('Live', { exact: true }).waitFor();
    await service.stop();
    await page.getByText('Not up to date').waitFor();
    service = await startService({ dataDirectory, environment });
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 });
  });

  it('polls where server-sent events do not get through', async () => {
    const page = await newPage();
    page.expectMessages(/Failed to load resource|ERR_|EventSource/);
    const polls: string[] = [];
    await page.route('**/console/live/**', (route) => {
      const { accept = '' } = route.request().headers();
      if (accept.includes('event-stream')) return route.abort();
      polls.push(route.request().url());
      return route.continue();
    });
    await page.goto(`${service.origin}/console/health`);
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 });
    expect(polls).not.to.deep.equal([]);
  });

  it('shows times in the zone of the viewer, with UTC on hover', async () => {
    const page = await newPage({ timezoneId: 'America/New_York' });
    await page.goto(`${service.origin}/console/health`);
    const started = page.locator('dt:text-is("Started") + dd time');
    const instant = new Date((await started.getAttribute('datetime')) ?? '');
    const inZone = instant.toLocaleTimeString('en-GB', { timeZone: 'America/New_York' });
    expect(await started.textContent()).to.include(inZone);
    expect(await started.getAttribute('title')).to.equal(`${instant.toISOString().slice(0, 19).replace('T', ' ')} UTC`);
  });

  it('works on a phone, by keyboard and in the dark', async () => {
    const page = await newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.goto(`${service.origin}/console/health`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).to.equal('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').getAttribute('id')).to.equal('main');
    const link = page.getByRole('link', { name: 'Overview' });
    expect(await link.isVisible()).to.equal(false);
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.focus();
    await page.keyboard.press('Enter');
    expect(await menu.getAttribute('aria-expanded')).to.equal('true');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, 'nothing is wider than the phone').to.equal(390);
    await expectAccessible(page);
    await link.click();
    await page.waitForURL('**/console');
    await page.keyboard.press('/'); // opens the menu, and leads to the search
    expect(await page.locator(':focus').getAttribute('name')).to.equal('term');
    await page.keyboard.type('nothing-like-this');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was found').waitFor();
    await expectAccessible(page);
  });

  it('can be used without scripts', async () => {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(`${service.origin}/console`);
    await page.getByRole('link', { name: 'Service' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Health');
    expect(await page.locator('dt:text-is("Started") + dd').textContent()).to.match(/ UTC$/);
  });
});

inChromium('the sign-in to the console', (newPage) => {
  const key = 'an-admin-key-of-ada';
  let service: ServiceProcess;
  before(async () => {
    const { environment } = await productionConsole({ ADMIN_KEYS: `ada:${key}` });
    service = await startService({ environment });
  });
  after(() => service.stop());

  it('takes an admin key, leads to the page, and signs out', async () => {
    const page = await newPage();
    page.expectMessages(/status of 401/);
    await page.goto(`${service.origin}/console/health`);
    await expectAccessible(page);
    await page.getByLabel('Admin key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('this is not an admin key of this service').waitFor();
    await page.getByLabel('Admin key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/health');
    await page.getByText('admin:ada').waitFor();
    expect(await page.evaluate('document.cookie'), 'scripts do not see the cookie').to.equal('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
  });

  it('leads back to a form whose session had ended, with what was typed', async () => {
    const page = await newPage();
    const signIn = async () => {
      await page.getByLabel('Admin key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const form = `${service.origin}/console/listeners/new?orgId=acme`;
    await page.goto(form);
    await signIn();
    await page.getByLabel('Hook URL').fill('https://hooks.example.com/typed');
    await page.getByLabel('Filter').fill('{"data.total": {"$gt": 40}}');
    await page.getByLabel(/Also sign with a key pair/).check();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add' }).click();
    await signIn();
    await page.waitForURL(form);
    await page.getByText('What you typed is here again.').waitFor();
    expect(await page.getByLabel('Hook URL').inputValue()).to.equal('https://hooks.example.com/typed');
    expect(await page.getByLabel('Filter').inputValue()).to.equal('{"data.total": {"$gt": 40}}');
    expect(await page.getByLabel(/Also sign with a key pair/).isChecked()).to.equal(true);
    expect(await page.evaluate('sessionStorage.length'), 'nothing is kept').to.equal(0);

    await page.goto(`${service.origin}/console/health`);
    await page.goto(form); // left without an interruption
    expect(await page.getByLabel('Hook URL').inputValue()).to.equal('');
  });
});
