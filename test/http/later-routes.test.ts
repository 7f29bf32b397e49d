import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import { createApp } from '../../src/http/app.js';
import type { RequestState } from '../../src/http/context.js';
import { type Listening, listen } from '../../src/http/listen.js';

describe('routes that are loaded with the first request to their paths', () => {
  let served: Listening;
  let loads = 0;
  let failures = 0;

  before(async () => {
    const laterRoutes = [
      {
        paths: ['/pages'],
        async load() {
          loads += 1;
          if (failures > 0) {
            failures -= 1;
            throw new Error('the file is missing');
          }
          const router = new Router<RequestState>({ sensitive: true });
          router.get('/pages/:name', (ctx) => {
            ctx.body = { name: ctx.params.name };
          });
          return [router];
        },
      },
    ];
    const app = createApp(
      {
        log: pino({ level: 'silent' }),
        loopbackNamesOnly: false,
        maxConcurrentRequests: 100,
        answerTokenError: () => false,
      },
      { routes: [], laterRoutes },
    );
    served = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  });
  after(() => served.stop(0));

  const statusOf = async (path: string, method = 'GET') => (await fetch(`${served.origin}${path}`, { method })).status;

  it('are not loaded for other paths', async () => {
    for (const path of ['/', '/page', '/pages-of-others/a']) expect(await statusOf(path), path).to.equal(404);
    expect(loads).to.equal(0);
  });

  it('are loaded again after a failure, which the caller gets', async () => {
    failures = 1;
    expect(await statusOf('/pages/a')).to.equal(500);
    expect(await statusOf('/pages/a')).to.equal(200);
    expect(loads).to.equal(2);
  });

  it('answer like other routes from then on, and are loaded once', async () => {
    loads = 0;
    expect(await Promise.all(['/pages/a', '/pages/b', '/pages'].map((path) => statusOf(path)))).to.deep.equal([
      200, 200, 404,
    ]);
    expect(await statusOf('/pages/a', 'POST')).to.equal(405);
    expect(loads).to.equal(0);
  });
});
