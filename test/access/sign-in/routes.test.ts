import { expect } from 'chai';
import { byHost, signInRoutes } from '../../../src/access/sign-in/routes.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';

describe('GET /oauth2', () => {
  let server: Served;
  before(async () => {
    const urls = byHost({
      'a.example': 'https://login.example/a?tenant=a#start',
      'b.example': 'https://login.example/b',
    });
    server = await serveRoutes(signInRoutes({ loginUrls: urls, hostOf: (ctx) => ctx.get('host') }));
  });
  after(() => server.close());

  const ask = (host: string, path: string) => rawRequest(Number(new URL(server.origin).port), path, [['Host', host]]);

  it('forwards the query byte for byte: repeated and empty parameters, order and encoding', async () => {
    const query = 'state=a%20b+c&x=1&x=2&empty=&flag&&u=https://p.example/cb?q=1&%C3%A9=%e2%82%ac&a[]=1&%zz=%';
    const { status, headers } = await ask('b.example', `/oauth2?${query}`);
    expect(status).to.equal(302);
    expect(headers.location).to.equal(`https://login.example/b?${query}`);
    expect(headers['cache-control']).to.equal('no-store');
  });

  it('keeps the query and the fragment of the login URL', async () => {
    const { headers } = await ask('A.example:8080', '/oauth2?state=1');
    expect(headers.location).to.equal('https://login.example/a?tenant=a&state=1#start');
  });

  it('adds nothing if there is no query or an empty one', async () => {
    expect((await ask('b.example', '/oauth2')).headers.location).to.equal('https://login.example/b');
    expect((await ask('b.example', '/oauth2?')).headers.location).to.equal('https://login.example/b');
  });

  it('answers 404 if the host has no login page', async () => {
    const { status, body } = await ask('c.example', '/oauth2?state=1');
    expect(status).to.equal(404);
    expect(body).to.include({ error: 'not_found', message: 'no login page is configured for the host c.example' });
  });
});
