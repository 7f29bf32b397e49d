import { expect } from 'chai';
import { limiter } from '../../../src/http/limits/limiter.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import type { Listening } from '../../../src/http/listen.js';
import { trustedPeers } from '../../../src/http/trusted-peers.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { serveTokens, type TokenService, tokenService } from './token-service.js';

describe('token requests above the limit of failures', () => {
  let service: TokenService;
  let server: Listening;
  /** The address of the next requests. */
  let address: string;

  beforeEach(async () => {
    address = '192.0.2.1';
    service = await tokenService();
    const failures = limiter('failures', { count: 3, windowMs: 60_000 });
    server = await serveTokens(service, async () => false, {
      limits: requestLimits({ failures }),
      peers: trustedPeers({ trustedProxies: ['127.0.0.0/8'], trustedGateways: [] }),
    });
  });
  afterEach(async () => {
    await server.stop(0);
    await service.close();
  });

  const post = (path: string, fields: Readonly<Record<string, string>>, ...more: (readonly [string, string])[]) =>
    rawRequest(
      port(),
      path,
      [['Content-Type', 'application/x-www-form-urlencoded'], ['X-Forwarded-For', address], ...more],
      {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
      },
    );
  const port = () => Number(new URL(server.origin).port);
  const refresh = (token: string) => post('/refresh', { grant_type: 'refresh_token', refresh_token: token });
  const exchange = (code: string) => post('/access', { grant_type: 'authorization_code', code });

  it('that fail are answered 429, with the time of a retry', async () => {
    const statuses = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await refresh('wrong')).status);
    expect(statuses).to.deep.equal([400, 400, 400]);
    for (const answer of [
      await refresh('wrong'),
      await post('/access', { grant_type: 'refresh_token', refresh_token: 'wrong' }),
      await exchange('wrong'),
      await post('/refresh', {}),
    ]) {
      expect(answer.status).to.equal(429);
      expect(answer.body).to.include({ error: 'temporarily_unavailable' });
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60);
      expect(answer.headers['ratelimit-policy']).to.equal('"failures";q=3;w=60');
      expect(answer.headers.ratelimit).to.match(/^"failures";r=0;t=\d+$/);
      expect(answer.headers['cache-control']).to.equal('no-store');
    }
  });

  describe('of a registered client', () => {
    let secret: string;
    beforeEach(async () => {
      const details = { name: 'Zapier', redirectUris: ['https://zapier.example/'], scopes: ['listeners'] as const };
      const { clientSecret } = await service.operate({
        change: 'register',
        clientId: 'zapier',
        type: 'confidential',
        ...details,
      });
      await service.operate({ change: 'register', clientId: 'app', type: 'public', ...details });
      secret = clientSecret ?? '';
    });
    /** Request from another address. */
    const fromElsewhere = (fields: Readonly<Record<string, string>>, ...more: (readonly [string, string])[]) => {
      address = `192.0.2.${Number(address.split('.').at(-1)) + 1}`;
      return post('/refresh', { grant_type: 'refresh_token', refresh_token: 'wrong', ...fields }, ...more);
    };

    it('are counted by client too, whatever their addresses', async () => {
      const basic = ['Authorization', `Basic ${Buffer.from(`zapier:${secret}`).toString('base64')}`] as const;
      for (let request = 0; request < 3; request += 1) expect((await fromElsewhere({}, basic)).status).to.equal(400);
      expect((await fromElsewhere({}, basic)).status).to.equal(429);
      expect((await fromElsewhere({ client_id: 'zapier', client_secret: secret })).status).to.equal(429);
      expect((await fromElsewhere({})).status).to.equal(400);
    });

    it('are not counted as those of a client that a caller names without its secret', async () => {
      for (const fields of [
        { client_id: 'zapier' },
        { client_id: 'zapier', client_secret: 'x' },
        { client_id: 'app' },
      ] as Record<string, string>[])
        for (let request = 0; request < 4; request += 1) await fromElsewhere(fields);
      expect((await fromElsewhere({ client_id: 'zapier', client_secret: secret })).status).to.equal(400);
      expect((await fromElsewhere({ client_id: 'app' })).status).to.equal(400);
    });
  });

  it('that are valid are answered as ever', async () => {
    const first = await exchange(await service.code());
    let token = (first.body as { refresh_token: string }).refresh_token;
    for (let request = 0; request < 5; request += 1) await refresh('wrong');
    for (let request = 0; request < 10; request += 1) {
      const { status, body } = await refresh(token);
      expect(status).to.equal(200);
      token = (body as { refresh_token: string }).refresh_token;
    }
    expect((await exchange(await service.code())).status).to.equal(200);
    expect((await refresh('wrong')).status).to.equal(429);
  });

  it('are not reached by valid requests, however many', async () => {
    let token = ((await exchange(await service.code())).body as { refresh_token: string }).refresh_token;
    for (let request = 0; request < 20; request += 1)
      token = ((await refresh(token)).body as { refresh_token: string }).refresh_token;
    expect((await refresh('wrong')).status).to.equal(400);
  });
});
