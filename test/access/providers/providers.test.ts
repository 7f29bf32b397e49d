import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Logger, pino } from 'pino';
import { openProviders } from '../../../src/access/access.js';
import { ProviderUnavailable, UnusableKeys } from '../../../src/access/errors.js';
import { issuerFetch } from '../../../src/access/issuer-fetch.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import type { ProviderSettings } from '../../../src/access/providers/provider-settings.js';
import { rejection } from '../../support/rejection.js';
import { serveRoutes } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { type CraftedProvider, clientSecret, startCraftedProvider } from './crafted-provider.js';
import { type Shared, sharedByInstances } from './sign-in-instance.js';

describe('the identity providers of the settings', () => {
  let crafted: CraftedProvider;
  let shared: Shared;
  beforeEach(async () => {
    [crafted, shared] = await Promise.all([startCraftedProvider(), sharedByInstances()]);
  });
  afterEach(() => Promise.all([crafted.close(), shared.store.close()]));

  const settings = (changes: Partial<ProviderSettings> = {}): ProviderSettings => ({
    issuer: crafted.issuer,
    clientId: 'c',
    clientSecret,
    clientAuthentication: 'client_secret_post',
    scopes: ['openid'],
    userClaim: 'sub',
    organisation: 'acme',
    ...changes,
  });

  async function open(
    providers: Readonly<Record<string, ProviderSettings>>,
    loginUrls: Readonly<Record<string, string>> = {},
    log: Logger = pino({ level: 'silent' }),
  ) {
    return openProviders(
      { http: { publicUrl: undefined, maxConcurrentRequests: 100 }, signIn: { loginUrls, providers } },
      {
        store: shared.store,
        keys: { masterKeys: shared.masterKeys, signingKeys: await signingKeys(generateSigningKeys()) },
        clients: { current: async () => shared.clients },
        issuerOf: () => shared.issuer,
        issuer: shared.issuer,
        resourceOf: () => undefined,
        hostOf: (ctx) => ctx.get('x-host'),
        fetch: issuerFetch({ plainHttpTo: () => true }),
        log,
        now: shared.now,
      },
    );
  }

  it('are chosen by the requested host; one of a less specific pattern is not that of a host with a login page', async () => {
    const { routes } = await open(
      { '*': settings(), 'b.example': settings({ clientId: 'b' }) },
      { 'login.example': 'x' },
    );
    const served = await serveRoutes(...routes);
    const query = 'response_type=code&client_id=zapier&redirect_uri=https://platform.example/callback';
    const clientAt = async (host: string) => {
      const url = `${served.origin}/oauth2?${query}`;
      const { status, headers } = await fetch(url, { redirect: 'manual', headers: { 'x-host': host } });
      return status === 302 ? new URL(headers.get('location') ?? '').searchParams.get('client_id') : status;
    };
    try {
      expect(await clientAt('b.example')).to.equal('b');
      expect(await clientAt('a.example')).to.equal('c');
      expect(await clientAt('login.example')).to.equal(404);
    } finally {
      await served.close();
    }
  });

  it('are checked at the start, and their state is told by issuer', async () => {
    crafted.answers.set('/.well-known/openid-configuration', { status: 500, body: '' });
    const { statuses } = await open({ '*': settings(), 'b.example': settings({ clientId: 'b' }) });
    expect(statuses.map(({ name }) => name)).to.deep.equal([crafted.issuer]);
    await until(() => statuses[0]?.failure() instanceof ProviderUnavailable, 'the failed check');
  });

  it('are none without settings, with neither routes nor codes', async () => {
    const { routes, codes, statuses } = await open({});
    expect([routes.length, codes.size, statuses.length]).to.deep.equal([0, 0, 0]);
  });

  it('are warned of if other users can read the file with a client secret', async () => {
    const file = join(temporaryDirectory(), 'client-secret.txt');
    writeFileSync(file, clientSecret);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const warnings = () => lines.filter((line) => line.includes('other users can read')).length;
    const withFile = { '*': settings({ clientSecretFile: file }) };
    chmodSync(file, 0o600);
    await open(withFile, {}, log);
    expect(warnings()).to.equal(0);
    chmodSync(file, 0o644);
    await open(withFile, {}, log);
    expect(warnings()).to.equal(1);
  });

  it('need the file of their client secret', async () => {
    const missing = settings({ clientSecretFile: '/nowhere/secret.txt' });
    const error = await rejection(open({ '*': missing }));
    expect(error).to.be.instanceOf(UnusableKeys);
    expect((error as Error).message).to.equal('LOGIN_PROVIDERS: /nowhere/secret.txt does not exist');
  });
});
