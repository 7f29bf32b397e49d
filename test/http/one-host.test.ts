import Router from '@koa/router';
import { expect } from 'chai';
import type { RequestState, Routes } from '../../src/http/context.js';
import { rawRequest } from '../support/service/raw-request.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

describe('a request with two Host headers', () => {
  let served: Served;
  before(async () => {
    const routes: Routes = new Router<RequestState>();
    routes.get('/healthz', (ctx) => {
      ctx.body = { host: ctx.host };
    });
    served = await serveRoutes(routes);
  });
  after(() => served.close());

  const get = (...hosts: readonly (readonly [string, string])[]) =>
    rawRequest(Number(new URL(served.origin).port), '/healthz', hosts);

  it('is answered 400, also where both are the same', async () => {
    for (const second of ['evil.example', 'a.example']) {
      const { status, body } = await get(['Host', 'a.example'], ['hOST', second]);
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_request', message: 'the request has more than one Host header' });
    }
    expect((await get(['Host', 'a.example'])).status).to.equal(200);
  });
});
