import { expect } from 'chai';
import { consolePages } from '../../support/console/pages.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type Subscription, subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

type Entry = { type: string; at: string; revision: string };

describe('a listener at an instant in the console', () => {
  let service: SharedService;
  let listener: Subscription;
  const hookUrl = 'https://hooks.example.com/as-of';
  let entries: readonly Entry[];
  const pages = consolePages(() => service);
  const admin = administratorOf(() => service);
  const timeOf = (type: string) => entries.find((entry) => entry.type === type)?.at ?? '';
  const shown = async (at: string, path = '') =>
    (await pages.get(`/listeners/${listener.listenerId}${path}?at=${encodeURIComponent(at)}`)).html;
  const earlier = (at: string, ms: number) => new Date(Date.parse(at) - ms).toISOString();

  before(async () => {
    service = await sharedService();
    listener = await subscribe(service, hookUrl, { subscriptionType: 'order.*' });
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5)); // the changes are at different milliseconds
    for (const [action, body] of [
      ['options', { ordered: true }],
      ['pause', {}],
      ['unsubscribe', {}],
    ] as const) {
      await pause();
      await admin.post(`/listeners/${listener.listenerId}/${action}`, body);
    }
    entries = ((await admin.get(`/listeners/${listener.listenerId}/timeline`)).body as { items: Entry[] }).items;
  });

  it('shows whether the URL was registered, and how, with links to the changes around', async () => {
    const before = await shown(earlier(timeOf('ListenerSubscribed'), 1));
    expect(before).to.include('had not been registered yet').and.include('rel="next"').and.not.to.include('rel="prev"');
    const first = await shown(timeOf('ListenerSubscribed'));
    expect(first)
      .to.include('Several at a time')
      .and.include(encodeURIComponent(timeOf('ListenerSubscriptionChanged')));
    const paused = await shown(timeOf('ListenerPaused'));
    expect(paused).to.include('deliveries to it were held').and.include('One at a time, in order');
    expect(await shown(timeOf('ListenerUnsubscribed'))).to.include('The listener had ended');
  });

  it('marks the change of the timeline that applies', async () => {
    const marked = (html: string) => /<li id="change-(\d+)"[^>]*aria-current="time"/.exec(html)?.[1];
    expect(marked(await shown(timeOf('ListenerSubscriptionChanged')))).to.equal('1');
    expect(marked(await shown(earlier(timeOf('ListenerPaused'), 1)))).to.equal('1');
    expect(marked(await shown(earlier(timeOf('ListenerSubscribed'), 1)))).to.equal(undefined);
    expect(marked((await pages.get(`/listeners/${listener.listenerId}`)).html)).to.equal('3');
  });

  it('takes the time of the field, which has no offset, as UTC', async () => {
    expect(await shown(timeOf('ListenerPaused').replace('Z', ''))).to.include('deliveries to it were held');
    for (const wrong of ['yesterday', '2026-13-01T00:00', '']) {
      const { status } = await pages.get(`/listeners/${listener.listenerId}?at=${encodeURIComponent(wrong)}`);
      expect(status, wrong).to.equal(wrong === '' ? 200 : 400);
    }
  });

  it('gives the slider the state alone, with the changes around it', async () => {
    const html = await shown(timeOf('ListenerPaused'), '/at');
    expect(html).to.include(`data-previous="${timeOf('ListenerSubscriptionChanged')}"`);
    expect(html)
      .to.include(`data-next="${timeOf('ListenerUnsubscribed')}"`)
      .and.include('data-revision="2"');
    expect(html).not.to.include('Latest deliveries');
  });

  it('shows the changes of an earlier listener at the hook URL too, and leads to it', async () => {
    const later = await subscribe(service, hookUrl);
    const { html } = await pages.get(`/listeners/${later.listenerId}`);
    expect(html).to.include('Another listener at the hook URL').and.include(listener.listenerId);
    const { html: ended } = await pages.get(`/listeners/${listener.listenerId}`);
    expect(ended).to.include('The URL was registered again').and.include(later.listenerId);
    const { body } = await admin.get(`/listeners/${listener.listenerId}`);
    expect(body).to.include({ state: 'ended', endReason: 'operator', replacedBy: later.listenerId });
  });
});
