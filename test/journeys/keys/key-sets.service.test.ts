import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { serve, type TestServer } from '../../support/serve.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const issuer = 'https://login.example.com';
const audience = 'flow-hooks';

describe('the key set of a login page in a private network', function () {
  this.timeout(120_000);
  const login = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  let status = 404;
  let keys: TestServer;
  let service: ServiceProcess;
  before(async () => {
    const keySet = JSON.stringify({ keys: [login.publicKey.export({ format: 'jwk' })] });
    keys = await serve((response) => response.writeHead(status).end(keySet));
    service = await startService({
      environment: {
        MODE: 'production',
        HOST: '127.0.0.1',
        PUBLIC_URL: 'https://hooks.example.com',
        LOGIN_URLS: '{"*":"https://login.example.com/"}',
        LOGIN_ISSUER: issuer,
        LOGIN_AUDIENCE: audience,
        LOGIN_JWKS: `${keys.origin}/jwks`,
        SIGNING_KEYS: JSON.stringify({ keys: [signing] }),
        MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
      },
    });
  });
  after(async () => {
    await service.stop();
    await keys.close();
  });

  const exchange = async () => {
    const code = await new SignJWT({ org_id: 'acme', jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'code+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('ada')
      .setExpirationTime('2m')
      .sign(login.privateKey);
    return service.fetch('/access', { form: { grant_type: 'authorization_code', code } });
  };
  const part = async () => {
    const { status: readiness, body } = await service.fetch('/readyz');
    const { parts } = body as { parts: readonly { part: string; ready: boolean }[] };
    return { readiness, ...parts.find((each) => each.part === 'key set LOGIN_JWKS') };
  };

  it('is reported by its own name as soon as the service has started, while the rest is ready', async () => {
    await until(async () => (await part()).ready === false, 'the key set not to be ready');
    await until(async () => (await part()).readiness === 200, 'the service to be ready');
    expect(await part()).to.include({ required: false, ready: false });
    // What a process prints may arrive later than its answers.
    const line = () => /^.*a key set cannot be used.*\n/m.exec(service.printed())?.[0];
    await until(() => line() !== undefined, 'the log to report the key set');
    expect(JSON.parse(line() ?? '')).to.include({
      keySet: 'LOGIN_JWKS',
      reason: 'Expected 200 OK from the JSON Web Key Set HTTP response',
    });
    expect((await exchange()).status).to.equal(503);
  });

  it('verifies codes without allowing listeners in that network', async () => {
    status = 200;
    const { status: answered, body } = await exchange();
    expect(answered).to.equal(200);
    expect(await part()).to.include({ ready: true });
    const { access_token: token } = body as { access_token: string };
    const listener = await service.fetch('/api/hooks/subscribe/flows', {
      headers: { authorization: `Bearer ${token}`, orgid: 'acme', userid: 'ada' },
      json: { hookUrl: 'https://127.0.0.1/hook', subscriptionType: 'flow.*' },
    });
    expect(listener.body).to.include({ error: 'target_not_allowed' });
  });
});
