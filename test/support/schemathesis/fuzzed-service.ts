import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import type { IdentityProvider } from '../identity-provider/identity-provider.js';
import type { ReachableService, ServiceProcess } from '../service/service.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { until } from '../until.js';

const adminKey = 'an-admin-key-of-some-length';
const issuer = 'https://login.example.com';
const audience = 'flow-hooks';

/** A service in production mode with all kinds of credentials and some data, which a test may destroy. */
export type FuzzedService = {
  service: ServiceProcess;
  credentials: { adminKey: string; apiKey: string; accessToken: string };
  /** IDs and other values that exist, by the name of the parameter; `header.` and `body.` tell places apart. */
  known: Readonly<Record<string, readonly string[]>>;
};

type Environment = Readonly<Record<string, string>>;

/** `start`: starts a service with these settings, on any store. `provider`: signs users in on its own host. */
export async function startFuzzedService(
  start: (environment: Environment) => Promise<ServiceProcess>,
  provider: Pick<IdentityProvider, 'settings'>,
): Promise<FuzzedService> {
  const login = await generateKeyPair('ES256');
  const directory = temporaryDirectory();
  const jwks = join(directory, 'login.json');
  writeFileSync(jwks, JSON.stringify({ keys: [await exportJWK(login.publicKey)] }));
  const off = Object.fromEntries(
    ['FAILURES', 'ADDRESS', 'CLIENT', 'API_KEY', 'ORGANISATION', 'EVENTS'].map((name) => [`RATE_LIMIT_${name}`, 'off']),
  );
  const service = await start({
    ...off,
    MODE: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://hooks.example.com',
    LOGIN_URLS: JSON.stringify({ '*': 'https://login.example.com/start' }),
    LOGIN_PROVIDERS: JSON.stringify({ 'hooks.example.com': provider.settings }),
    LOGIN_ISSUER: issuer,
    LOGIN_AUDIENCE: audience,
    LOGIN_JWKS: jwks,
    SIGNING_KEYS: generateSigningKeys(),
    MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
    ADMIN_KEYS: `ops:${adminKey}`,
    ALLOWED_TARGETS: '127.0.0.1/32',
    ALLOW_HTTP: 'true',
    UNSAFE: ['ALLOW_HTTP', ...Object.keys(off)].join(),
  });
  const code = await new SignJWT({ org_id: 'acme', jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'code+jwt' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('ada')
    .setExpirationTime('2m')
    .sign(login.privateKey);
  const isReady = async () => (await service.fetch('/readyz')).status === 200;
  await until(isReady, 'the service to be ready', { everyMs: 250 }); // it logs requests that need a view before
  return { service, ...(await makeData(service, code)) };
}

/** Nothing of this machine listens there: deliveries fail at once. */
const hookUrl = 'http://127.0.0.1:4999/hook';

/** `code`: of a sign-in of ada, of the organisation acme. */
async function makeData(service: ReachableService, code: string): Promise<Omit<FuzzedService, 'service'>> {
  const asAdmin = { authorization: `Bearer ${adminKey}` };
  async function post<Answer>(path: string, json: object, headers: Readonly<Record<string, string>> = asAdmin) {
    let answer: Awaited<ReturnType<typeof service.fetch>> | undefined;
    await until(
      async () => {
        answer = await service.fetch(path, { json, headers });
        return answer.status !== 503; // views of a new service are built while it serves
      },
      `${path} to be answered`,
      { everyMs: 250 },
    );
    if (!answer || answer.status >= 300)
      throw new Error(`${path} is answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
    return answer.body as Answer;
  }
  await post('/admin/api/tasks/register', {});
  await post('/admin/api/tasks/activate', {});
  const { access_token: accessToken } = await post<{ access_token: string }>('/access', {
    grant_type: 'authorization_code',
    code,
  });
  const scopes = ['flows:publish', 'flows:read', 'listeners:read', 'listeners:write', 'deliveries:read'];
  const key = await post<{ key: string; apiKeyId: string }>('/admin/api/api-keys', {
    name: 'fuzz',
    orgId: 'acme',
    scopes,
  });
  const asUser = { authorization: `Bearer ${accessToken}`, orgid: 'acme', userid: 'ada' };
  const { listenerId } = await post<{ listenerId: string }>(
    '/api/hooks/subscribe/flows',
    { hookUrl, subscriptionType: 'flow.*' },
    asUser,
  );
  await post('/api/flows', { type: 'flow.completed', id: 'order-4711', flowId: 'orders', data: { total: 42 } }, asUser);
  const { id: replay } = await post<{ id: string }>('/admin/api/replays', {
    orgId: 'acme',
    listenerId,
    from: '2026-01-01T00:00:00Z',
  });
  return {
    credentials: { adminKey, apiKey: key.key, accessToken },
    known: {
      orgId: ['acme', 'umbrella'],
      'header.orgid': ['acme'],
      'header.userid': ['ada'],
      'body.hookUrl': [hookUrl, 'http://127.0.0.1:4999/other'],
      listenerId: [listenerId],
      eventId: ['order-4711'],
      replay: [replay],
    },
  };
}
