import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import { type OpenApiDocument, templateOf } from '../../../src/http/api-description/openapi-document.js';
import { nameOfRoute } from '../../../src/http/api-description/routes.js';
import { allRoutes } from '../../../src/service/documentation/documentation.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

const publicUrl = 'https://hooks.example.com/base';

/** Signs in with a provider, which it reaches at the first sign-in only. */
const production = () => ({
  MODE: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: publicUrl,
  HOOKS_PREFIX: '/listeners',
  MCP: 'on',
  LOGIN_PROVIDERS: JSON.stringify({
    'hooks.example.com': {
      issuer: 'https://issuer.invalid',
      clientId: 'flow-hooks',
      clientSecret: 'a-secret',
      organisation: 'acme',
    },
  }),
  SIGNING_KEYS: generateSigningKeys(),
  MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
});

describe('GET /openapi.json', function () {
  this.timeout(60_000);
  let development: ServiceProcess;
  let withProvider: ServiceProcess;
  before(async () => {
    [development, withProvider] = await Promise.all([
      startService({ environment: { HOOKS_PREFIX: '/listeners' } }),
      startService({ environment: production() }),
    ]);
  });
  after(() => Promise.all([development?.stop(), withProvider?.stop()]));

  const documentOf = async (service: ServiceProcess) => (await service.fetch('/openapi.json')).body as OpenApiDocument;
  const routesIn = ({ paths }: OpenApiDocument) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => nameOfRoute({ method, path })),
    );

  it('describes the routes of the service, with its settings, and no others', async () => {
    // That each route is described, the service requires at its start.
    const ofDevelopment = routesIn(await documentOf(development));
    const ofProvider = routesIn(await documentOf(withProvider));
    expect(ofDevelopment).to.include('POST /sign-in').and.not.include('GET /oauth2/callback');
    expect(ofProvider).to.include('GET /oauth2/callback').and.not.include('POST /sign-in');
    expect(ofProvider).to.include('GET /.well-known/oauth-authorization-server/base');
    const all = allRoutes({ hooksPrefix: '/listeners', publicUrl });
    expect(new Set([...ofDevelopment, ...ofProvider])).to.deep.equal(
      new Set(all.map(({ path, ...route }) => nameOfRoute({ ...route, path: templateOf(path) }))),
    );
  });

  it('names the public address of the service, or none in development', async () => {
    expect((await documentOf(withProvider)).servers).to.deep.equal([{ url: publicUrl }]);
    expect((await documentOf(development)).servers).to.deep.equal([{ url: '/' }]);
  });

  it('is answered 304 to callers who have it', async () => {
    const ask = (etag: string) => rawRequest(development.port, '/openapi.json', [['If-None-Match', etag]]);
    const { headers } = await ask('"other"');
    expect(await ask(String(headers.etag))).to.include({ status: 304, body: '' });
    expect((await ask('"other"')).status).to.equal(200);
  });
});
