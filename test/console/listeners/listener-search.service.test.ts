import { expect } from 'chai';
import { consolePages } from '../../support/console/pages.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const hostile = `<img src=x onerror="alert('1')">`;
/** Turns the direction of text that follows it. */
const rightToLeft = '\u202e';
const hookUrl = (name: string) => `https://Hooks.Example.com/catch/${name}`;

describe('the search of listeners in the console', () => {
  let service: ServiceProcess;
  const pages = consolePages(() => service);
  const admin = administratorOf(() => service);

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('says how to register the first listener', async () => {
    const { status, html } = await pages.get('/listeners');
    expect(status).to.equal(200);
    expect(html).to.include('No listeners are registered').and.include('/api/hooks/subscribe/flows');
  });

  describe('among several', () => {
    const ids = new Map<string, string>();
    before(async () => {
      for (const [name, orgId] of [
        ['one', 'acme'],
        ['Two-%22', 'acme'],
        ['three', 'globex'],
      ] as const) {
        ids.set(name, (await subscribe(service, hookUrl(name), { orgId })).listenerId);
      }
      await subscribe(service, hookUrl('four'), { orgId: 'globex' });
      await unsubscribe(service, hookUrl('four'), 'globex');
      await admin.post(`/listeners/${ids.get('three')}/pause`);
      await until(async () => (await search({ state: 'paused' })).items.length === 1, 'the view');
    });

    const search = async (body: object) =>
      (await admin.post('/listeners/search', body)).body as { items: { listenerId: string; status: string }[] };
    const listed = ({ html }: { html: string }) =>
      [...html.matchAll(/\/console\/listeners\/([0-9a-f-]{36})"/g)].map(([, id]) => id);

    it('shows those of all organisations, the latest first, without removed ones', async () => {
      const page = await pages.get('/listeners');
      expect(listed(page)).to.deep.equal([ids.get('three'), ids.get('Two-%22'), ids.get('one')]);
      expect(page.html).to.include('Paused').and.include('globex');
    });

    it('narrows them by organisation and state, in an address that can be shared', async () => {
      expect(listed(await pages.get('/listeners?orgId=acme'))).to.have.length(2);
      expect(listed(await pages.get('/listeners?state=paused'))).to.deep.equal([ids.get('three')]);
      expect(listed(await pages.get('/listeners?state=ended&orgId=globex'))).to.have.length(1);
      expect(listed(await pages.get('/listeners?state=troubled'))).to.deep.equal([]);
      const answer = await pages.post('/listeners', { url: '', orgId: 'acme', state: '' });
      expect([answer.status, answer.location]).to.deep.equal([303, '/console/listeners?orgId=acme']);
    });

    /** The address to which a search leads, and its page, which can be loaded again. */
    const searched = async (form: Readonly<Record<string, string>>) => {
      const { location } = await pages.post('/listeners', form);
      await pages.get(location.replace('/console', ''));
      return { location, page: await pages.get(location.replace('/console', '')) };
    };

    it('finds a URL or a part of it, in an address without a path, which is not in the log either', async () => {
      const byHost = await searched({ url: 'HOOKS.example' });
      expect(byHost.location).to.equal('/console/listeners?url=HOOKS.example');
      expect(listed(byHost.page)).to.have.length(3);
      const byUrl = await searched({ url: hookUrl('one'), orgId: 'acme' });
      expect(byUrl.location).to.match(/^\/console\/listeners\?orgId=acme&search=[\w-]{22}$/);
      expect(listed(byUrl.page)).to.deep.equal([ids.get('one')]);
      expect(listed((await searched({ url: 'two-', orgId: 'acme' })).page)).to.deep.equal([ids.get('Two-%22')]);
      const none = await searched({ url: 'catch/secret-9' });
      expect(none.page.html).to.include('No listeners match');
      expect((await pages.get('/listeners?search=unknown')).html).to.include('This search has expired');
      expect(service.printed()).not.to.include('secret-9').and.not.to.include('catch/one');
    });

    it('shows hostile values as text', async () => {
      await subscribe(service, hookUrl("'x"), { orgId: hostile, subscriptionType: '<b>' });
      await until(async () => (await search({ orgId: hostile })).items.length === 1, 'the view');
      for (const page of [
        await pages.get('/listeners'),
        await pages.get(`/listeners?orgId=${encodeURIComponent(hostile)}`),
        (await searched({ url: `${hostile}${rightToLeft}` })).page,
      ]) {
        expect(page.status).to.equal(200);
        expect(page.html).not.to.include('<img').and.not.to.include('<b>');
        expect(page.html).to.include('&lt;img src=x');
      }
      const [id] = (await search({ orgId: hostile })).items.map(({ listenerId }) => listenerId);
      const { html } = await pages.get(`/listeners/${id}`);
      expect(html).to.include('&lt;img src=x').and.not.to.include('<img').and.not.to.include('<b>');
    });
  });

  it('answers a cursor or an organisation that cannot be one with a page that says so', async () => {
    const tooLong = await pages.get(`/listeners?orgId=${'x'.repeat(300)}`);
    expect(tooLong.status).to.equal(400);
    expect(tooLong.html).to.include('<h1>');
    expect((await pages.get('/listeners/no-such-listener')).status).to.equal(404);
  });
});
