import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { clientAuthentication } from '../../src/access/clients/client-authentication.js';
import { clientRegistry } from '../../src/access/clients/client-registry.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { generateSigningKeys, signingKeys } from '../../src/access/keys/signing-keys.js';
import type { SignedIn } from '../../src/access/sign-in/codes.js';
import { answerTokenError, limitFailures } from '../../src/access/token-errors.js';
import { accessTokens } from '../../src/access/tokens/access-token.js';
import { codeExchange } from '../../src/access/tokens/exchange-code.js';
import { sessionRefresh } from '../../src/access/tokens/refresh-session.js';
import { tokenRoutes } from '../../src/access/tokens/routes.js';
import { createApp } from '../../src/http/app.js';
import { limiter } from '../../src/http/limits/limiter.js';
import { requestLimits } from '../../src/http/limits/request-limits.js';
import { listen } from '../../src/http/listen.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { limits } from '../../test/access/tokens/fixtures.js';

/** Argument: the data directory. */
const [directory = ''] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
const now = () => new Date();
const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const issuer = 'https://hooks.example.com';
const clients = clientRegistry(store);
const tokens = accessTokens({
  issuer,
  ttlMs: 3_600_000,
  limits,
  store,
  clients,
  now,
  signingKeys: await signingKeys(generateSigningKeys()),
});
const dependencies = { store, masterKeys: keys, accessTokens: tokens, limits, now };
const signedIn = async (): Promise<SignedIn> => ({ issuer, codeId: randomUUID(), userId: 'ada', orgId: 'acme' });
const exchangeCode = codeExchange({ ...dependencies, codes: { verify: signedIn } });
const refreshSession = sessionRefresh(dependencies);

const authentication = clientAuthentication(clients, now);
const failures = limiter('failures', { count: 100, windowMs: 60_000 });
const routes = [
  tokenRoutes({
    exchangeCode,
    refreshSession,
    accessTokens: tokens,
    requireBearer: () => Promise.reject(new Error('GET /test is not measured')),
    clients: authentication,
    isIdentityToken: async () => false,
    limited: limitFailures(requestLimits({ failures }), authentication),
  }),
];
const app = createApp(
  { log: pino({ level: 'warn' }), loopbackNamesOnly: true, maxConcurrentRequests: 2_000, answerTokenError },
  { routes },
);

async function newSession(): Promise<string> {
  const request = { code: 'a verified code', codeVerifier: undefined };
  return (await exchangeCode(request, (actor) => ({ actor, correlationId: 'bench' }))).refreshToken;
}

const { origin } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
process.on('message', async (count: number) => {
  process.send?.({ tokens: await Promise.all(Array.from({ length: count }, newSession)) });
});
process.once('disconnect', () => process.exit());
process.send?.({ origin });
