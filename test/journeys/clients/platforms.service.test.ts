import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { administratorOf } from '../../support/service/administrator.js';
import { probe, refresh, signIn, type Tokens } from '../../support/service/journey.js';
import { type CredentialStyle, type Platform, passSignIn, platform } from '../../support/service/platform.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

describe('platforms as registered clients', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let connectedBefore: Tokens;
  const { post } = administratorOf(() => service);

  async function registered(clientId: string, style: CredentialStyle, request: object = {}): Promise<Platform> {
    const redirectUri = `https://${clientId}.example/oauth/callback?app=7`;
    const redirectUris = [redirectUri, `https://${clientId}.example/other`];
    const { status, body } = await post('/clients', { clientId, name: clientId, redirectUris, ...request });
    expect(status, JSON.stringify(body)).to.equal(201);
    const { clientSecret } = body as { clientSecret?: string };
    await pause(clientMemoryMs);
    return platform(service, { clientId, clientSecret, redirectUri }, style);
  }

  before(async () => {
    service = await startService();
    connectedBefore = await signIn(service);
  });
  after(() => service.stop());

  const form = 'form' as const;
  const styles: Readonly<Record<string, CredentialStyle>> = {
    // https://docs.zapier.com/platform/build/oauth: a form with the credentials, and PKCE if the app enables it
    zapier: { credentials: 'body', encoding: form, pkce: true },
    'make-body': { credentials: 'body', encoding: form, pkce: false },
    'make-header': { credentials: 'header', encoding: form, pkce: false },
    // n8n lets the user choose Header or Body, and refreshes tokens where it exchanges codes
    'n8n-header': { credentials: 'header', encoding: form, pkce: true, refreshAt: '/access' },
    'n8n-body': { credentials: 'body', encoding: form, pkce: false, refreshAt: '/access' },
    'json-header': { credentials: 'header', encoding: 'json', pkce: false },
    'json-body': { credentials: 'body', encoding: 'json', pkce: true },
  };

  for (const [clientId, style] of Object.entries(styles)) {
    it(`connect, call and refresh as ${clientId} does`, async () => {
      const its = await registered(clientId, style);
      const tokens = await its.connect();
      expect(tokens.scope).to.equal('listeners');
      expect(await probe(service, tokens.access_token)).to.deep.include({ status: 200, body: { success: 1 } });

      const answers = await Promise.all(Array.from({ length: 4 }, () => its.refresh(tokens.refresh_token)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const successors = new Set(answers.map(({ body }) => (body as Tokens).refresh_token));
      expect(successors.size).to.equal(1);
      const [successor = ''] = successors;
      expect((await its.refresh(successor)).status).to.equal(200);
    });
  }

  it('connect as a public client, which proves possession of each code', async () => {
    const style = { credentials: 'body', encoding: form, pkce: true } as const;
    const its = await registered('public-app', style, { type: 'public' });
    const tokens = await its.connect();
    expect((await its.refresh(tokens.refresh_token)).status).to.equal(200);
    expect((await its.exchange({ ...(await its.authorise()), codeVerifier: 'x'.repeat(43) })).status).to.equal(400);
  });

  it('get the same refresh token for parallel exchanges of a code', async () => {
    const its = await registered('parallel', { credentials: 'body', encoding: form, pkce: true });
    const authorization = await its.authorise();
    const answers = await Promise.all(Array.from({ length: 4 }, () => its.exchange(authorization)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => (body as Tokens).refresh_token)).size).to.equal(1);
  });

  it('may not use the codes and refresh tokens of another platform', async () => {
    const style = { credentials: 'body', encoding: form, pkce: false } as const;
    const [one, other] = [await registered('one', style), await registered('other', style)];
    expect((await other.exchange(await one.authorise())).body).to.include({ error: 'invalid_grant' });
    const { refresh_token } = await one.connect();
    expect((await other.refresh(refresh_token)).body).to.include({ error: 'invalid_grant' });
    expect((await refresh(service, refresh_token)).body).to.include({ error: 'invalid_client' });
    expect((await one.refresh(refresh_token)).status).to.equal(200);
  });

  it('may act within their scopes', async () => {
    const style = { credentials: 'body', encoding: form, pkce: false } as const;
    const its = await registered('scoped', style, { scopes: ['listeners', 'flows:publish'] });
    const bearer = async (scope?: string) => {
      const { access_token } = await its.connect(scope);
      return { authorization: `Bearer ${access_token}`, orgid: 'acme', userid: 'ada' };
    };
    const listener = { hookUrl: 'http://127.0.0.1:4000/hook', subscriptionType: 'flow.*' };
    const steps = async (headers: Record<string, string>) => {
      const answers = [
        await service.fetch('/api/hooks/subscribe/flows', { headers, json: listener }),
        await service.fetch('/api/hooks/unsubscribe/flows', { headers, json: listener }),
        await service.fetch('/api/flows', { headers, json: { type: 'flow.done', data: {} } }),
        await service.fetch('/api/hooks/perform-list', { headers }),
      ];
      for (const { status, headers: answered, body } of answers.filter(({ status }) => status === 403)) {
        expect(status).to.equal(403);
        expect(body).to.include({ error: 'insufficient_scope' });
        expect(answered.get('www-authenticate')).to.match(
          /error="insufficient_scope", scope="(listeners|flows:publish)"$/,
        );
      }
      return answers.map(({ status }) => status);
    };
    expect(await steps(await bearer())).to.deep.equal([201, 200, 202, 201]);
    expect(await steps(await bearer('listeners'))).to.deep.equal([201, 200, 403, 201]);
    expect(await steps(await bearer('flows:publish'))).to.deep.equal([403, 403, 202, 201]);
    const request = {
      response_type: 'code',
      client_id: 'scoped',
      redirect_uri: 'https://scoped.example/other',
      scope: 'admin',
    };
    const returned = await passSignIn(service, new URLSearchParams(request), { userId: 'ada', orgId: 'acme' });
    expect(returned.searchParams.get('error')).to.equal('invalid_scope');
  });

  it('that were connected before the first client was registered stay connected', async () => {
    const { status, body } = await refresh(service, connectedBefore.refresh_token);
    expect(status).to.equal(200);
    expect((await probe(service, (body as Tokens).access_token)).status).to.equal(200);
  });

  it('lose their tokens when they are removed, and no secret is in the log', async () => {
    const its = await registered('removed', { credentials: 'header', encoding: form, pkce: false });
    const tokens = await its.connect();
    expect((await post('/clients/removed/remove')).status).to.equal(200);
    await pause(clientMemoryMs);
    expect((await probe(service, tokens.access_token)).status).to.equal(401);
    expect((await its.refresh(tokens.refresh_token)).body).to.include({ error: 'invalid_client' });
    expect(service.printed()).to.not.match(/fhc_[\w-]{20}/);
  });
});
