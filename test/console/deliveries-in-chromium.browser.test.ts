import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { expectAccessible } from '../support/browser/accessibility.js';
import { inChromium } from '../support/browser/chromium.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

type Item = Readonly<Record<string, string>>;

inChromium('deliveries and flow events in a browser', (newPage) => {
  const live = organisation('live');
  const ticked = organisation('ticked');
  const one = organisation('one');
  const published = organisation('published');
  const accessible = organisation('accessible');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService({ RETRY_SCHEDULE: '10ms' });
  });
  after(() => receiver.close());
  afterEach(() => receiver.answer(200));

  const { get } = administratorOf(() => service);
  const list = async (query: string) => ((await get(`/deliveries?${query}`)).body as { items: readonly Item[] }).items;

  async function deadLetters(orgId: string, count: number): Promise<readonly Item[]> {
    receiver.answer(500);
    await subscribe(service, `${receiver.origin}/${orgId}`, { orgId, subscriptionType: '*' });
    for (let index = 0; index < count; index += 1) {
      await publish(service, { orgId, id: `event-${index}`, type: 'order.paid', data: { index } });
    }
    await until(async () => (await list(`orgId=${orgId}&state=exhausted`)).length === count, 'dead letters');
    receiver.answer(200);
    return list(`orgId=${orgId}&state=exhausted`);
  }

  it('shows changes without reloading, also after a filter is chosen', async () => {
    await subscribe(service, `${receiver.origin}/live`, { orgId: live, subscriptionType: '*' });
    const page = await newPage();
    await page.goto(`${service.origin}/console/deliveries?orgId=${live}`);
    await page.getByText('There are no deliveries').waitFor();
    await publish(service, { orgId: live, id: 'seen', type: 'order.paid', data: 1 });
    await page.getByRole('row', { name: /order\.paid Delivered .* seen/ }).waitFor();

    await page.getByLabel('Type').fill('flow.*');
    await page.getByLabel('Type').press('Enter');
    await page.waitForURL(/type=flow\.\*/);
    await page.getByText('No delivery matches the filter').waitFor();
    await publish(service, { orgId: live, id: 'left-out', type: 'order.paid', data: 1 });
    await publish(service, { orgId: live, id: 'wanted', type: 'flow.completed', data: 1 });
    await page.getByRole('row', { name: /flow\.completed .* wanted/ }).waitFor();
    expect(await page.getByRole('row', { name: /left-out/ }).count()).to.equal(0);
  });

  it('leads from a chosen filter to what the filter shows, without reloading', async () => {
    const page = await newPage();
    await page.goto(`${service.origin}/console/deliveries`);
    const [redeliver, day] = [page.getByRole('link', { name: 'Redeliver…' }), page.getByRole('link', { name: '24 h' })];
    expect(await redeliver.count()).to.equal(0); // for one organisation at a time
    await page.getByLabel('Organisation', { exact: true }).fill('filtered');
    await page.getByLabel('Type').fill('order.*');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/type=order\.\*/);
    await redeliver.waitFor();
    for (const link of [redeliver, day, page.getByRole('link', { name: 'JSON' })]) {
      const { searchParams } = new URL((await link.getAttribute('href')) ?? '', service.origin);
      expect([searchParams.get('orgId'), searchParams.get('type')]).to.deep.equal(['filtered', 'order.*']);
    }
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.waitForURL(/deliveries\?orgId=filtered$/);
  });

  it('redelivers the deliveries that are ticked', async () => {
    const letters = await deadLetters(ticked, 3);
    const page = await newPage();
    await page.goto(`${service.origin}/console/deliveries?orgId=${ticked}`);
    await page.getByRole('link', { name: 'Redeliver…' }).click();
    for (const letter of letters.slice(1)) await page.getByLabel(`Select order.paid ${letter.id}`).check();
    await page.getByRole('button', { name: 'Redeliver selected' }).click();
    await page.getByText('2 deliveries are due now.').waitFor();
    await until(async () => (await list(`orgId=${ticked}&state=succeeded`)).length === 2, 'both successes');
    const left = (await list(`orgId=${ticked}&state=exhausted`)).map(({ id }) => id);
    expect(left).to.eql([letters[0]?.id]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const [names = '', ...rows] = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(names).to.include('eventType').and.include('lastStatus');
    expect(rows.filter((row) => row.includes('order.paid'))).to.have.length(3);
    await page
      .getByRole('row', { name: /Delivered/ })
      .first()
      .waitFor();
  });

  it('redelivers one delivery, whose page shows the new attempt', async () => {
    const [letter] = await deadLetters(one, 1);
    const page = await newPage();
    await page.goto(`${service.origin}/console/deliveries/${letter?.id}?orgId=${one}`);
    await page.getByText('Attempt 2').waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Attempt 3').waitFor();
    await page.getByText('Headers of the answer').first().click();
    await page.getByText('connection: ').first().waitFor();
    await page.getByText('Answered 200').waitFor();
    expect(await list(`orgId=${one}&state=succeeded`)).to.have.length(1);
  });

  it('publishes a flow event, and shows which listener got it once it is delivered', async () => {
    await subscribe(service, `${receiver.origin}/published`, { orgId: published, subscriptionType: '*' });
    const page = await newPage();
    await page.goto(`${service.origin}/console/flow-events?orgId=${published}`);
    await page.getByRole('link', { name: 'Publish…' }).click();
    await page.getByLabel('Content (JSON)').fill('{"total": ');
    await page.getByRole('button', { name: 'Publish' }).click();
    page.expectMessages(/status of 400/);
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Content (JSON)').fill('{"total": 44, "html": "<img src=x onerror=alert(1)>"}');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The flow event is published.').waitFor();
    await page.getByRole('row', { name: /Delivered The listener answered 200/ }).waitFor();
    expect(await page.locator('main img').count()).to.equal(0);
    const ours = receiver.received.filter(({ path }) => path === '/published');
    expect(JSON.parse(ours[0]?.body ?? '').data).to.include({ total: 44 });
    await page.getByRole('link', { name: 'Delivery, 1 attempt' }).click();
    await page.getByRole('heading', { name: 'Request' }).waitFor();
  });

  it('is accessible on a desktop and on a phone, light and dark', async () => {
    const [letter] = await deadLetters(accessible, 1);
    const pages = [
      '/deliveries',
      `/deliveries?orgId=${accessible}`,
      `/deliveries/${letter?.id}?orgId=${accessible}`,
      `/deliveries/redeliver?orgId=${accessible}`,
      `/flow-events?orgId=${accessible}`,
      `/flow-events/show?orgId=${accessible}&id=event-0`,
      `/flow-events/publish?orgId=${accessible}`,
    ];
    const page = await newPage();
    for (const path of pages) {
      await page.goto(`${service.origin}/console${path}`);
      await expectAccessible(page);
    }
  });
});
