import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { rejection } from '../rejection.js';
import { serve, type TestServer } from '../serve.js';
import { expectAccessible } from './accessibility.js';
import { inChromium, startChromium } from './chromium.js';
import { openPages } from './open-pages.js';

const html = `<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1><img src="data:,"></main>
<script>document.title = 'broken'</script><script src="http://127.0.0.2:9/elsewhere.js"></script></html>`;

inChromium('the tests in a browser', (newPage) => {
  let server: TestServer;
  let browser: Browser;
  let origin: string;
  before(async () => {
    server = await serve((response, { path }) => {
      const policy = path === '/strict' ? "script-src 'self'" : "script-src 'unsafe-inline' http:";
      response.setHeader('content-type', 'text/html').setHeader('content-security-policy', policy).end(html);
    });
    origin = server.origin;
    browser = await startChromium();
  });
  after(async () => {
    await browser.close();
    await server.close();
  });

  it('fail where a page breaks its Content Security Policy', async () => {
    const pages = openPages(() => browser);
    await (await pages.open()).goto(`${origin}/strict`);
    expect(String(await rejection(pages.closeAll()))).to.match(/Content Security Policy/);
  });

  it('fail where a page asks another origin', async () => {
    const pages = openPages(() => browser);
    await (await pages.open()).goto(`${origin}/lax`);
    expect(String(await rejection(pages.closeAll()))).to.include(
      'asked another origin: http://127.0.0.2:9/elsewhere.js',
    );
  });

  it('fail where a page is not accessible', async () => {
    const page = await newPage({ origins: [origin, 'http://127.0.0.2:9'] });
    page.expectMessages(/ERR_|Failed to load/);
    await page.goto(`${origin}/lax`);
    expect(String(await rejection(expectAccessible(page)))).to.include('image-alt');
  });
});
