import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import { createApp } from '../../src/http/app.js';
import type { RequestState } from '../../src/http/context.js';
import { type Listening, listen } from '../../src/http/listen.js';

describe('an application that answers to loopback names only', () => {
  let served: Listening;
  before(async () => {
    const router = new Router<RequestState>();
    router.get('/whatever', (ctx) => {
      ctx.body = {};
    });
    const settings = { log: pino({ level: 'silent' }), loopbackNamesOnly: true, maxConcurrentRequests: 10 };
    const app = createApp({ ...settings, answerTokenError: () => false }, { routes: [router] });
    served = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  });
  after(() => served.stop(0));

  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${served.origin}/whatever`, { headers })).status;

  it('answers a caller on this machine', async () => expect(await statusWith({ 'x-request-id': 'a' })).to.equal(200));

  for (const name of ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Forwarded', 'X-Real-IP'])
    it(`answers 421 behind a proxy, which sends ${name}: its callers would be believed`, async () =>
      expect(await statusWith({ [name]: '203.0.113.7' })).to.equal(421));
});
