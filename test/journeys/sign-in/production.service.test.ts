import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider/identity-provider.js';
import { runCliForJson } from '../../support/service/cli.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { type ServiceProcess, startRefused, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const redirectUri = 'https://platform.example/callback';

describe('production mode with an identity provider', function () {
  this.timeout(60_000);
  const dataDirectory = temporaryDirectory();
  const secretFile = join(dataDirectory, 'client-secret.txt');
  let provider: IdentityProvider;
  let service: ServiceProcess;
  let environment: Readonly<Record<string, string>>;
  let clientId: string;

  before(async () => {
    provider = await startIdentityProvider('https://hooks.example.com/base/oauth2/callback');
    const { clientSecret, ...settings } = provider.settings as { clientSecret: string };
    writeFileSync(secretFile, `${clientSecret}\n`);
    environment = {
      MODE: 'production',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://hooks.example.com/base',
      LOGIN_PROVIDERS: JSON.stringify({ 'hooks.example.com': { ...settings, clientSecretFile: secretFile } }),
      SIGNING_KEYS: generateSigningKeys(),
      MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
    };
    service = await startService({ dataDirectory, environment });
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  const ask = (host: string) =>
    rawRequest(
      service.port,
      `/oauth2?${new URLSearchParams({ response_type: 'code', client_id: clientId ?? 'x', redirect_uri: redirectUri })}`,
      [['Host', host]],
    );

  it('warns at the start, and refuses sign-ins, while no client is registered', async () => {
    await until(() => service.printed().includes('LOGIN_PROVIDERS is set, and no client is registered'), 'the warning');
    const { status, body } = await ask('hooks.example.com');
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('no platform is registered as a client of this service yet');
  });

  it('needs no login page, and sends users to the provider with the callback of the requested host', async () => {
    const [added] = await runCliForJson(
      dataDirectory,
      'clients',
      'add',
      '--name',
      'Zapier',
      '--redirect-uri',
      redirectUri,
    );
    ({ clientId } = added as { clientId: string });
    await until(async () => (await ask('hooks.example.com')).status === 302, 'the client to be known');
    const { status, headers } = await ask('hooks.example.com');
    expect(status).to.equal(302);
    const location = new URL(String(headers.location));
    expect(location.origin).to.equal(provider.issuer);
    expect(location.searchParams.get('redirect_uri')).to.equal('https://hooks.example.com/base/oauth2/callback');
    expect(String(headers['set-cookie'])).to.match(/^__Host-sign-in-.*; Secure$/);
    expect((await ask('elsewhere.example.com')).status, 'a host without a provider').to.equal(404);
  });

  it('does not start without the file of the client secret', async () => {
    const missing = environment.LOGIN_PROVIDERS?.replace('client-secret.txt', 'no-secret.txt') ?? '';
    const refused = await startRefused({ ...environment, DATA_DIR: temporaryDirectory(), LOGIN_PROVIDERS: missing });
    expect(refused.code).to.equal(1);
    expect(refused.printed).to.match(/LOGIN_PROVIDERS: \S+no-secret\.txt does not exist/);
  });
});
