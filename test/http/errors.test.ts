import { once } from 'node:events';
import { connect } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import { createApp } from '../../src/http/app.js';
import { answerFailuresWith500, type RequestState, type Routes } from '../../src/http/context.js';
import { type Listening, listen } from '../../src/http/listen.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';

describe('failures over HTTP', () => {
  const detail = '/var/lib/secret-place/events.db: database or disk is full (SQLITE_FULL)';
  const logged: string[] = [];
  let release: () => void = () => undefined;
  let served: Listening;

  before(async () => {
    const routes: Routes = new Router<RequestState>();
    const fail = () => {
      throw new StoreUnavailable(detail, { retryAfterMs: 1_500 });
    };
    routes.get('/ours', fail);
    routes.get('/specified', answerFailuresWith500, fail);
    routes.get('/healthz', (ctx) => {
      ctx.body = {};
    });
    routes.get('/bug', () => {
      throw new TypeError(detail);
    });
    routes.get('/slow', async (ctx) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      ctx.body = {};
    });
    const app = createApp(
      {
        log: pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }),
        loopbackNamesOnly: false,
        maxConcurrentRequests: 1,
        formerPaths: { '/former': '/ours' },
        answerTokenError: () => false,
      },
      { routes: [routes] },
    );
    served = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  });
  after(() => served.stop(0));

  const get = async (path: string) => {
    const response = await fetch(`${served.origin}${path}`);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string>,
    };
  };

  it('name the present path where an earlier release had another one', async () => {
    for (const path of ['/former', '/former/one'])
      expect(await get(path))
        .to.deep.include({ status: 404 })
        .and.to.have.nested.property('body.message', `there is no route ${path}: use /ours`);
    expect((await get('/formers')).body.message).to.equal('there is no route /formers');
  });

  for (const [path, status, error] of [
    ['/ours', 503, 'store_unavailable'],
    ['/specified', 500, 'store_unavailable'],
    ['/bug', 500, 'internal_error'],
  ] as const) {
    it(`have a public message without internal details at ${path}; the log has the details by request id`, async () => {
      const answer = await get(path);
      expect(answer.status).to.equal(status);
      expect(answer.body).to.have.keys('error', 'message', 'requestId');
      expect(answer.body.error).to.equal(error);
      expect(JSON.stringify(answer.body)).not.to.match(/secret-place|SQLITE|\.js/);
      const line = logged.find((each) => each.includes(answer.body.requestId ?? '?'));
      expect(line).to.include('secret-place');
    });
  }

  it('are not cached', async () => {
    for (const path of ['/ours', '/bug', '/none'])
      expect((await get(path)).headers.get('cache-control'), path).to.equal('no-store');
  });

  it('of the store have a Retry-After in whole seconds', async () => {
    expect((await get('/ours')).headers.get('retry-after')).to.equal('2');
  });

  it('take no slot from others while a body has not arrived, and health checks need none', async () => {
    const { hostname, port } = new URL(served.origin);
    const unfinished = connect(Number(port), hostname);
    unfinished.write(
      'POST /ours HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    await once(unfinished, 'connect');
    for (let count = 0; count < 20; count += 1) expect((await get('/ours')).status).to.equal(503);
    const slow = get('/slow');
    while ((await get('/ours')).status !== 429); // until the slow one has its slot
    expect((await get('/healthz')).status).to.equal(200);
    release();
    await slow;
    unfinished.destroy();
  });

  it('do not let a browser guess the type of an answer', async () => {
    expect((await get('/bug')).headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('answer 429 with Retry-After to requests above the concurrency limit', async () => {
    const slow = get('/slow');
    await get('/ours').catch(() => undefined);
    let turnedAway = await get('/ours');
    while (turnedAway.status !== 429) turnedAway = await get('/ours'); // until the slow one is under way
    expect(turnedAway.body.error).to.equal('too_many_requests');
    expect(turnedAway.headers.get('retry-after')).to.equal('1');
    release();
    expect((await slow).status).to.equal(200);
    expect((await get('/ours')).status).to.equal(503);
  });
});
