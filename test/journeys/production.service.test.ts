import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type JWK, SignJWT } from 'jose';
import { runCli } from '../support/service/cli.js';
import { rawRequest } from '../support/service/raw-request.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const issuer = 'https://login.example.com';
const json = ['Content-Type', 'application/json'] as const;

/** Keys and settings of an operator, in files. */
function settings() {
  const directory = temporaryDirectory();
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const jwkSet = (key: object) => JSON.stringify({ keys: [key] });
  const login = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as JWK;
  const sign = (claims: object, typ: string, audience = 'flow-hooks') =>
    new SignJWT({ org_id: 'acme', jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('ada')
      .setExpirationTime('2m')
      .sign(login.privateKey);
  return {
    sign,
    environment: {
      MODE: 'production',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://hooks.example.com',
      LOGIN_URLS: JSON.stringify({
        '*.example.com': 'https://login.example.com/start?tenant=1',
        '*': 'https://other.example/',
      }),
      LOGIN_ISSUER: issuer,
      LOGIN_AUDIENCE: 'flow-hooks',
      LOGIN_JWKS: file('login.json', jwkSet(login.publicKey.export({ format: 'jwk' }))),
      SIGNING_KEYS: file('signing.json', jwkSet(signing)),
      MASTER_KEYS: file(
        'master.txt',
        `g2:${randomBytes(32).toString('base64')}\ng1:${randomBytes(32).toString('base64')}\n`,
      ),
      ADMIN_KEYS: 'ops:an-admin-key-of-some-length',
    },
  };
}

describe('production mode', function () {
  this.timeout(120_000);
  const { sign, environment } = settings();
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ environment });
    await runCli(service.dataDirectory, 'tasks', 'register');
    await runCli(service.dataDirectory, 'tasks', 'activate');
  });
  after(() => service.stop());

  const exchange = async (code: string) =>
    service.fetch('/access', { form: { grant_type: 'authorization_code', code } });
  const tokenOf = async () =>
    ((await exchange(await sign({}, 'code+jwt'))).body as { access_token: string }).access_token;
  const subscribing = (headers: readonly (readonly [string, string])[], hookUrl = 'https://93.184.215.14/hook') =>
    rawRequest(service.port, '/api/hooks/subscribe/flows', [json, ...headers], {
      method: 'POST',
      body: JSON.stringify({ hookUrl, subscriptionType: 'flow.*' }),
    });

  it('exchanges codes of the configured login page, but no other tokens that it signs', async () => {
    expect((await exchange(await sign({}, 'code+jwt'))).status).to.equal(200);
    for (const other of [
      await sign({}, 'at+jwt'),
      await sign({}, 'JWT'),
      await sign({}, 'code+jwt', 'another-client'),
    ]) {
      const { status, body } = await exchange(other);
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_grant' });
    }
  });

  it('does not trust headers without a token', async () => {
    expect(
      (
        await subscribing([
          ['orgid', 'acme'],
          ['userid', 'ada'],
        ])
      ).status,
    ).to.equal(401);
    const authorization = ['Authorization', `Bearer ${await tokenOf()}`] as const;
    expect((await subscribing([authorization, ['orgid', 'acme'], ['userid', 'ada']])).status).to.equal(201);
    expect((await subscribing([authorization, ['orgid', 'other'], ['userid', 'ada']])).status).to.equal(403);
  });

  it('delivers only to https URLs on public addresses', async () => {
    const authorization = ['Authorization', `Bearer ${await tokenOf()}`] as const;
    for (const hookUrl of [
      'http://93.184.215.14/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
    ]) {
      const { status, body } = await subscribing([authorization, ['orgid', 'acme'], ['userid', 'ada']], hookUrl);
      expect(status, hookUrl).to.equal(400);
      expect(body).to.include({ error: 'target_not_allowed' });
    }
  });

  it('warns at start that no client is registered, until one is', async () => {
    const warning = 'no client is registered: register each platform';
    expect(service.printed()).to.include(warning);
    const { dataDirectory } = service;
    const url = 'https://platform.example/callback';
    await runCli(dataDirectory, 'clients', 'add', '--id', 'platform', '--name', 'Platform', '--redirect-uri', url);
    await service.stop();
    service = await startService({ dataDirectory, environment });
    expect(service.printed()).to.not.include(warning);
    expect((await exchange(await sign({}, 'code+jwt'))).body).to.include({ error: 'invalid_client' });
    await runCli(dataDirectory, 'clients', 'remove', 'platform');
    await until(async () => (await exchange(await sign({}, 'code+jwt'))).status === 200, 'the removal of the client');
  });

  it('redirects to the login page of the requested host, and ignores a forwarded host of an untrusted peer', async () => {
    const location = async (headers: readonly (readonly [string, string])[]) =>
      (await rawRequest(service.port, '/oauth2?state=1', headers)).headers.location;
    expect(await location([['Host', 'app.example.com']])).to.equal('https://login.example.com/start?tenant=1&state=1');
    expect(await location([['Host', 'elsewhere.test']])).to.equal('https://other.example/?state=1');
    expect(
      await location([
        ['Host', 'elsewhere.test'],
        ['X-Forwarded-Host', 'app.example.com'],
      ]),
    ).to.equal('https://other.example/?state=1');
  });

  it('has no sign-in page, and allows publishing for any organisation with an admin key', async () => {
    expect((await service.fetch('/sign-in')).status).to.equal(404);
    const publishing = (authorization: string) =>
      service.fetch('/api/flows', { headers: { authorization }, json: { orgId: 'acme', type: 'flow.done', data: {} } });
    expect((await publishing('Bearer an-admin-key-of-some-length')).status).to.equal(202);
    expect((await publishing('Bearer an-admin-key-of-other-length')).status).to.equal(401);
  });

  it('publishes only the public key of its access tokens', async () => {
    const { body } = await service.fetch('/.well-known/jwks.json');
    const [key] = (body as { keys: JWK[] }).keys;
    expect(key).to.include({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' }).and.not.to.have.property('d');
  });

  it('trusts the forwarded host and the request id of a trusted proxy, not identity headers that it passes on', async () => {
    const behind = await startService({ environment: { ...environment, TRUSTED_PROXIES: '127.0.0.0/8' } });
    try {
      await until(() => /proxies are trusted: they must remove X-Forwarded-Host/.test(behind.printed()), 'the log');
      const spoofed = [json, ['orgid', 'acme'], ['userid', 'ada'], ['X-Request-Id', 'given']] as const;
      const publishing = { method: 'POST', body: '{"type":"flow.done","data":{}}' };
      const refused = await rawRequest(behind.port, '/api/flows', spoofed, publishing);
      expect([refused.status, refused.headers['x-request-id']]).to.eql([401, 'given']);
      const { headers } = await rawRequest(behind.port, '/oauth2', [['X-Forwarded-Host', 'app.example.com']]);
      expect(headers.location).to.equal('https://login.example.com/start?tenant=1');
    } finally {
      await behind.stop();
    }
  });

  it('gives each request of other callers its own id', async () => {
    const { headers } = await rawRequest(service.port, '/healthz', [['X-Request-Id', 'given']]);
    expect(headers['x-request-id']).to.match(/^[\da-f-]{36}$/);
  });

  it('trusts the headers and the forwarded host of a trusted gateway, and says at the start which it must remove', async () => {
    const behind = await startService({ environment: { ...environment, TRUSTED_GATEWAYS: '127.0.0.0/8' } });
    try {
      const what =
        /must remove orgid, orgId, userid, X-Forwarded-Host, X-Forwarded-For and X-Request-Id of their clients/;
      await until(() => what.test(behind.printed()), 'the log');
      const { status } = await rawRequest(behind.port, '/api/flows', [json, ['orgid', 'acme']], {
        method: 'POST',
        body: '{"type":"flow.done","data":{}}',
      });
      expect(status).to.equal(202);
      const { headers } = await rawRequest(behind.port, '/oauth2', [['X-Forwarded-Host', 'app.example.com']]);
      expect(headers.location).to.equal('https://login.example.com/start?tenant=1');
    } finally {
      await behind.stop();
    }
  });

  it('warns at the start if there is no admin key, or no TLS', async () => {
    expect(service.printed()).not.to.match(/no admin key|without TLS/);
    const changes = { ADMIN_KEYS: '', PUBLIC_URL: 'http://hooks.example.com' };
    const without = await startService({ environment: { ...environment, ...changes } });
    await without.stop();
    expect(without.printed()).to.match(/"level":40.*"setting":"PUBLIC_URL".*without TLS/);
    expect(without.printed()).to.match(/"level":40.*no admin key is configured \(ADMIN_KEYS\)/);
  });

  it('refuses to start on the same data with other keys', async () => {
    await service.stop();
    const other = settings().environment;
    const refused = await startService({ dataDirectory: service.dataDirectory, environment: other }).catch(
      (error: Error) => error.message,
    );
    expect(refused).to.match(/master key of generation g[12] differs/);
    service = await startService({ dataDirectory: service.dataDirectory, environment });
  });
});
