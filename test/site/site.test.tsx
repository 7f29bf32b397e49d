import { expect } from 'chai';
import { openAssets, ownAsset } from '../../src/http/assets.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { CheckBox, Field, Form } from '../../src/site/components/form.js';
import { redirectTo, type Subject } from '../../src/site/page-view.js';
import { withSite } from '../support/console/site-settings.js';
import { serveRoutes } from '../support/service/serve-routes.js';
import { until } from '../support/until.js';

const hostile = `<img src=x onerror="alert('1')">`;

/** Pages that greet, and remember what was sent to them. */
const greetings =
  (sent: string[]): Subject =>
  (site) => {
    site.notices({ 'greeting-sent': 'The greeting has been sent.' });
    site.get('/greet/:name', async (at) => ({
      title: `Hello ${at.params.name}`,
      section: '/greet',
      content: (
        <p>
          {at.query.text('text')} {at.may('operator') && 'may change'}
        </p>
      ),
    }));
    site.get('/write', async () => ({
      title: 'Write',
      content: (
        <>
          <Form>
            <Field label="Text" name="text" value="hello" />
            <CheckBox label="Loud" name="loud" />
          </Form>
          <Form action="/console/greet">
            <Field label="Text" name="text" value="hello" />
          </Form>
        </>
      ),
    }));
    site.post('/write', async ({ form }) => {
      throw new InvalidRequest(`text: ${form.text('text')} is too long; loud: is not allowed`);
    });
    site.post('/greet', async (at) => {
      const text = at.form.text('text');
      if (text === undefined) throw new InvalidRequest(`a text is missing ${hostile}`);
      sent.push(text);
      return redirectTo(at, '/greet/ada', { notice: 'greeting-sent' });
    });
  };

const form = (origin: string, headers: Readonly<Record<string, string>>, body = 'text=hi') =>
  fetch(`${origin}/console/greet`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });

describe('a site of pages', () => {
  it('shows values of the URL as text, and marks the section of the page', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const query = new URLSearchParams({ text: hostile });
      const response = await fetch(`${origin}/console/greet/${encodeURIComponent(hostile)}?${query}`);
      const html = await response.text();
      expect(response.status).to.equal(200);
      expect(html).not.to.include('<img');
      expect(html).to.include('&lt;img src=x onerror=');
      expect(html).to.include('<a href="/console/greet/all" aria-current="page">');
      expect(html).not.to.include('may change');
    }));

  it('shows bidirectional controls as escapes, and leaves the values of forms as they are', () => {
    const text = 'invoice\u202efdp.exe \u2066<b>\u2069';
    const page: Subject = (site) =>
      site.get('/text', async () => ({
        title: text,
        content: (
          <>
            <p title={text}>{text}</p>
            <Field label="Line" name="line" value={text} />
            <Field label="Lines" name="lines" lines={2} value={text} />
          </>
        ),
      })) as undefined;
    return withSite({ subjects: [page] }, async (origin) => {
      const html = await (await fetch(`${origin}/console/text`)).text();
      const [shown, kept] = ['invoice\\u202efdp.exe \\u2066&lt;b>\\u2069', text.replace('<', '&lt;')];
      expect(html).to.include(`<p title="${shown}">${shown}</p>`).and.include(`<h1>${shown}</h1>`);
      expect(html)
        .to.include(`value="${kept}"`)
        .and.match(/<textarea[^>]*>invoice\u202efdp/);
      expect(html.replaceAll(/value="[^"]*"|<textarea.*?<\/textarea>/g, '')).not.to.match(
        /[\u202a-\u202e\u2066-\u2069]/,
      );
    });
  });

  it('shows a refused form again, with what was typed and the errors at their fields', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const body = new URLSearchParams({ text: hostile, loud: 'true' });
      const response = await fetch(`${origin}/console/write`, { method: 'POST', headers: { origin }, body });
      const html = await response.text();
      expect(response.status).to.equal(400);
      const [refused = '', other] = html.split('</form>');
      expect(refused).to.include('value="&lt;img src=x').and.to.include('aria-describedby="field-text-error"');
      expect(refused).to.match(/<p id="field-text-error" class="error">&lt;img .* is too long\.<\/p>/);
      expect(refused).to.match(/type="checkbox"[^>]* checked/);
      expect(other).to.include('value="hello"').and.not.to.include('error');
      expect(html).not.to.include('<img');
    }));

  it('forbids scripts of other origins and in the page, frames and caching', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const { headers } = await fetch(`${origin}/console/greet/ada`);
      const csp = headers.get('content-security-policy');
      expect(csp).to.include("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(csp).to.include("frame-ancestors 'none'");
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-frame-options')).to.equal('DENY');
    }));

  it('performs an action for a form of this origin, and leads to a page with a fixed notice', async () => {
    const sent: string[] = [];
    await withSite({ subjects: [greetings(sent)] }, async (origin) => {
      const done = await form(origin, { origin });
      expect(done.status).to.equal(303);
      expect(done.headers.get('location')).to.equal('/console/greet/ada?notice=greeting-sent');
      const shown = await fetch(`${origin}${done.headers.get('location')}`);
      expect(await shown.text()).to.include('The greeting has been sent.');
      const other = await fetch(`${origin}/console/greet/ada?notice=%3Cb%3Eanother`);
      expect(await other.text()).not.to.include('another');
    });
    expect(sent).to.deep.equal(['hi']);
  });

  it('refuses a form of another origin, of a page of another site, and without either header', async () => {
    const sent: string[] = [];
    await withSite({ subjects: [greetings(sent)] }, async (origin) => {
      for (const headers of [
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
        { origin, 'sec-fetch-site': 'cross-site' },
        { origin, 'sec-fetch-site': 'same-site' },
        {},
      ] as Record<string, string>[]) {
        expect((await form(origin, headers)).status, JSON.stringify(headers)).to.equal(403);
      }
      expect((await form(origin, { 'sec-fetch-site': 'same-origin' })).status).to.equal(303);
    });
    expect(sent).to.deep.equal(['hi']);
  });

  it('shows an error as a page with its status, the request and a way back', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const referer = `${origin}/console/greet/ada?text=x`;
      const response = await form(origin, { origin, referer }, 'text=');
      const html = await response.text();
      expect(response.status).to.equal(400);
      expect(response.headers.get('content-type')).to.include('text/html');
      expect(html).to.include('A text is missing &lt;img');
      expect(html).not.to.include('<img');
      expect(html).to.include(response.headers.get('x-request-id'));
      expect(html).to.include('href="/console/greet/ada?text=x"');
    }));

  it('makes htmx show the whole page of an error, in which there is no part for which it asked', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const { headers, status } = await fetch(`${origin}/console/none`, { headers: { 'hx-request': 'true' } });
      expect(status).to.equal(404);
      expect(headers.get('hx-retarget')).to.equal('#main');
      expect(headers.get('hx-reselect')).to.equal('#main');
      expect(headers.get('hx-reswap')).to.equal('outerHTML');
    }));

  it('does not lead back to a page of another site', () =>
    withSite({ subjects: [greetings([])] }, async (origin) => {
      const response = await form(origin, { origin, referer: 'https://elsewhere.example/console/greet' }, 'text=');
      expect(await response.text()).not.to.include('elsewhere');
    }));

  it('answers 404 with a page where there is none', () =>
    withSite({ subjects: [] }, async (origin) => {
      const response = await fetch(`${origin}/console/none/at/all`);
      expect(response.status).to.equal(404);
      expect(await response.text()).to.include('There is no such page.');
    }));

  it('does nothing for a request without a caller', async () => {
    const sent: string[] = [];
    await withSite({ subjects: [greetings(sent)], sessionOf: async () => undefined }, async (origin) => {
      const response = await form(origin, { origin });
      expect(response.headers.get('location')).to.equal('/console/sign-in');
    });
    expect(sent).to.deep.equal([]);
  });

  it('answers 429 to more than 20 requests of one organisation at once, and goes on with others', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    const slow: Subject = (site) => {
      site.get('/slow', async () => {
        begun += 1;
        await released;
        return { title: 'Slow', content: '' };
      });
      site.get('/fast', async () => ({ title: 'Fast', content: '' }));
      site.live('/fast', { everyMs: 1_000, parts: async () => ({}) });
    };
    let orgId: string | null = 'acme';
    const sessionOf = async () => ({ caller: { actor: 'portal:ada', role: 'viewer', orgId } }) as const;
    await withSite({ subjects: [slow, greetings([])], sessionOf }, async (origin) => {
      const status = async (path: string) => (await fetch(`${origin}/console${path}`)).status;
      const first = Array.from({ length: 20 }, () => status('/slow'));
      await until(() => begun === 20, 'twenty requests in progress');
      expect([await status('/fast'), await status('/live/fast')]).to.deep.equal([429, 429]);
      for (const other of ['globex', null]) {
        orgId = other;
        expect(await status('/fast'), String(other)).to.equal(200);
      }
      release();
      expect(new Set(await Promise.all(first))).to.deep.equal(new Set([200]));
      orgId = 'acme';
      expect(await status('/fast')).to.equal(200);
    });
  });
});

describe('assets', () => {
  const files = [{ name: 'console.css', file: ownAsset('console/console.css') }];

  it('are cached for good under the hash of their contents, and compressed', async () => {
    const assets = openAssets(files);
    const served = await serveRoutes(assets.routes);
    try {
      const response = await fetch(`${served.origin}${assets.path('console.css')}`);
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).to.equal('text/css; charset=utf-8');
      expect(response.headers.get('content-encoding')).to.equal('gzip');
      const plain = await fetch(`${served.origin}${assets.path('console.css')}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      expect(await plain.text()).to.equal(await response.text());
    } finally {
      await served.close();
    }
  });

  it('are not found under another hash or name', async () => {
    const assets = openAssets(files);
    const served = await serveRoutes(assets.routes);
    try {
      const [, , hash] = assets.path('console.css').split('/');
      for (const path of [
        '/assets/other/console.css',
        `/assets/${hash}/other.css`,
        `/assets/${hash}/..%2fconsole.css`,
      ]) {
        expect((await served.get(path)).status, path).to.equal(404);
      }
    } finally {
      await served.close();
    }
  });
});
