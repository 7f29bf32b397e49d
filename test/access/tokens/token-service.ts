import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { developmentCodes, developmentIssuer } from '../../../src/access/sign-in/development-codes.js';
import { accessTokens } from '../../../src/access/tokens/access-token.js';
import { answerTokenError } from '../../../src/access/tokens/answer-token-error.js';
import { codeExchange } from '../../../src/access/tokens/exchange-code.js';
import { sessionRefresh } from '../../../src/access/tokens/refresh-session.js';
import { tokenRoutes } from '../../../src/access/tokens/routes.js';
import type { SessionLimits } from '../../../src/access/tokens/session-limits.js';
import type { IdentityTokenCheck } from '../../../src/access/tokens/trusted-issuers.js';
import { createApp } from '../../../src/http/app.js';
import { listen } from '../../../src/http/listen.js';
import type { EventStore, NewEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { limits as defaultLimits } from './fixtures.js';

const keyOf = (byte: number) => Buffer.alloc(32, byte);
const someCause = (actor: string) => ({ actor, correlationId: 'test' });

export type TokenService = Awaited<ReturnType<typeof tokenService>>;

/** The token functions on a separate store, with a clock that the test moves. */
export async function tokenService({
  store = openSqliteEventStore({ directory: temporaryDirectory() }),
  generations = ['g1'],
  limits = defaultLimits,
}: {
  readonly store?: EventStore;
  readonly generations?: readonly string[];
  readonly limits?: SessionLimits;
} = {}) {
  let ms = Date.now();
  const now = () => new Date(ms);
  const master = masterKeys(new Map(generations.map((name) => [name, keyOf(Number(name.slice(1)))])));
  const loginKeys = await signingKeys(generateSigningKeys());
  const codes = developmentCodes(loginKeys, now);
  const keys = await signingKeys(generateSigningKeys());
  const settings = { issuer: 'https://hooks.example.com', ttlMs: 3_600_000, limits };
  const access = accessTokens({ ...settings, signingKeys: keys, store, now });
  const dependencies = { store, masterKeys: master, accessTokens: access, limits, now };
  const exchangeCode = codeExchange({ ...dependencies, codes: codes.verification });
  const refreshSession = sessionRefresh(dependencies);

  return {
    store,
    keys,
    now,
    exchangeCode,
    refreshSession,
    accessTokens: access,
    wait: (durationMs: number) => {
      ms += durationMs;
    },
    code: async (codeChallenge?: string) => (await codes.issue({ userId: 'ada', orgId: 'acme', codeChallenge })).code,
    /** A code that was made for this client. */
    codeFor: (clientId: string) => {
      const exp = Math.floor(ms / 1_000) + 300;
      const claims = {
        iss: developmentIssuer,
        sub: 'ada',
        org_id: 'acme',
        jti: randomUUID(),
        exp,
        client_id: clientId,
      };
      return loginKeys.sign(claims, 'code+jwt');
    },
    exchange: (code: string, codeVerifier?: string) => exchangeCode({ code, codeVerifier }, someCause),
    /** As a client that has proved its identity. */
    exchangeAs: (authenticatedClientId: string, code: string) =>
      exchangeCode({ code, codeVerifier: undefined, authenticatedClientId }, someCause),
    refresh: (refreshToken: string) => refreshSession(refreshToken, someCause),
    close: () => store.close(),
  };
}

/** The token routes over HTTP. */
export async function serveTokens(service: TokenService, isIdentityToken: IdentityTokenCheck = async () => false) {
  const app = createApp({
    log: pino({ level: 'silent' }),
    routes: [tokenRoutes({ ...service, isIdentityToken })],
    loopbackNamesOnly: false,
    maxConcurrentRequests: 1_000,
    answerTokenError,
  });
  return listen(app.callback(), { host: '127.0.0.1', port: 0 });
}

/** A store whose appends may fail: `before` runs before the events are written, `after` afterwards. */
export function faultyStore(store: EventStore) {
  let fault: { readonly when: 'before' | 'after'; readonly error: Error } | undefined;
  const faulty: EventStore = {
    ...store,
    async append(stream: string, events: readonly NewEvent[], options) {
      const current = fault;
      if (current?.when === 'before') throw current.error;
      const result = await store.append(stream, events, options);
      if (current) throw current.error;
      return result;
    },
  };
  return {
    store: faulty,
    failing: (when: 'before' | 'after', error: Error) => {
      fault = { when, error };
    },
    working: () => {
      fault = undefined;
    },
  };
}
