import { pino } from 'pino';
import { apiKeyVerification, findApiKey } from '../../../src/access/api-keys/verify-api-key.js';
import { bearerToken } from '../../../src/access/authorization-header.js';
import { clientAuthentication } from '../../../src/access/clients/client-authentication.js';
import type { ClientDocuments } from '../../../src/access/clients/client-documents.js';
import { clientMemoryMs, clientRegistry } from '../../../src/access/clients/client-registry.js';
import { type OperateClient, operateClient } from '../../../src/access/clients/operate-clients.js';
import { identityOf } from '../../../src/access/identity/identify.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { protectedResources } from '../../../src/access/protected-resource.js';
import type { CodeVerification } from '../../../src/access/sign-in/codes.js';
import { developmentCodes } from '../../../src/access/sign-in/development.js';
import { answerTokenError, limitFailures } from '../../../src/access/token-errors.js';
import { accessTokens } from '../../../src/access/tokens/access-token.js';
import { codeExchange } from '../../../src/access/tokens/exchange-code.js';
import { sessionRefresh } from '../../../src/access/tokens/refresh-session.js';
import type { CodeRequest } from '../../../src/access/tokens/refresh-token.js';
import { tokenRoutes } from '../../../src/access/tokens/routes.js';
import type { SessionLimits } from '../../../src/access/tokens/session.js';
import type { IdentityTokenCheck } from '../../../src/access/tokens/trusted-issuers.js';
import type { Client } from '../../../src/events/client-events.js';
import { createApp } from '../../../src/http/app.js';
import type { Routes } from '../../../src/http/context.js';
import { listen } from '../../../src/http/listen.js';
import type { TrustedPeers } from '../../../src/http/trusted-peers.js';
import type { EventStore, NewEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { noLimits } from '../../support/service/no-limits.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { limits as defaultLimits } from './fixtures.js';

const keyOf = (byte: number) => Buffer.alloc(32, byte);
const someCause = (actor: string) => ({ actor, correlationId: 'test' });

/** Fields of the authorization request that a code names. */
export type Authorization = {
  orgId?: string;
  clientId?: string;
  redirectUri?: string;
  scope?: string;
  resource?: string;
};

export type TokenService = Awaited<ReturnType<typeof tokenService>>;

/** The token functions on a separate store, with a clock that the test moves. */
export async function tokenService({
  store = openSqliteEventStore({ directory: temporaryDirectory() }),
  generations = ['g1'],
  limits = defaultLimits,
  codes: verification,
  documents,
}: {
  store?: EventStore;
  generations?: readonly string[];
  limits?: SessionLimits;
  /** Instead of the codes of development mode. */
  codes?: CodeVerification;
  documents?: ClientDocuments;
} = {}) {
  let ms = Date.now();
  let registryMs = 0;
  const now = () => new Date(ms);
  const master = masterKeys(new Map(generations.map((name) => [name, keyOf(Number(name.slice(1)))])));
  const codes = developmentCodes(await signingKeys(generateSigningKeys()), now);
  const keys = await signingKeys(generateSigningKeys());
  const settings = { issuer: 'https://hooks.example.com', ttlMs: 3_600_000, limits };
  const registry = clientRegistry(store, () => registryMs, documents);
  const access = accessTokens({ ...settings, signingKeys: keys, store, clients: registry, now });
  const identity = identityOf({
    believeEveryone: false,
    verifyAccessToken: access.verify,
    verifyApiKey: apiKeyVerification(store, now),
    checkingKey: noLimits.wrongKeys,
    bearerToken,
    adminKeys: new Map(),
    verifyOperatorToken: async () => undefined,
  });
  const dependencies = { store, masterKeys: master, accessTokens: access, limits, now };
  const exchangeCode = codeExchange({ ...dependencies, codes: verification ?? codes.verification });
  const refreshSession = sessionRefresh(dependencies);

  return {
    store,
    keys,
    masterKeys: master,
    issuer: settings.issuer,
    now,
    exchangeCode,
    refreshSession,
    accessTokens: access,
    identity,
    requireBearer: identity.requireBearer,
    findApiKey: (text: string) => findApiKey(store, text, now()),
    clients: clientAuthentication(registry, now),
    registry,
    /** Changes the clients; the change is in force afterwards. */
    async operate(command: OperateClient) {
      const changed = await operateClient(store, command, { cause: someCause('admin:ops'), now: now() });
      registryMs += clientMemoryMs;
      return changed;
    },
    wait: (durationMs: number) => {
      ms += durationMs;
    },
    code: async (codeChallenge?: string, authorization: Authorization = {}) =>
      (await codes.issue({ userId: 'ada', orgId: 'acme', codeChallenge, ...authorization })).code,
    exchange: (code: string, codeVerifier?: string) => exchangeCode({ code, codeVerifier }, someCause),
    /** Exchanges as a client that has authenticated itself. */
    exchangeAs: (client: Client, code: string, more: Omit<CodeRequest, 'code'> = {}) =>
      exchangeCode({ code, client, ...more }, someCause),
    refresh: (refreshToken: string) => refreshSession({ refreshToken }, someCause),
    close: () => store.close(),
  };
}

/** The token routes, and `more`, over HTTP. */
export async function serveTokens(
  service: TokenService,
  isIdentityToken: IdentityTokenCheck = async () => false,
  {
    more = [],
    limits = noLimits,
    peers,
    agents = true,
  }: { more?: readonly Routes[]; limits?: typeof noLimits; peers?: TrustedPeers; agents?: boolean } = {},
) {
  const routes = [
    tokenRoutes({
      ...service,
      isIdentityToken,
      resourceOf: protectedResources(agents, () => service.issuer),
      limited: limitFailures(limits, service.clients),
    }),
    ...more,
  ];
  const app = createApp(
    {
      log: pino({ level: 'silent' }),
      loopbackNamesOnly: false,
      maxConcurrentRequests: 1_000,
      answerTokenError,
      ...(peers && { peers }),
    },
    { routes },
  );
  return listen(app.callback(), { host: '127.0.0.1', port: 0 });
}

/** A store whose appends may fail: `before` runs before the events are written, `after` afterwards. */
export function faultyStore(store: EventStore) {
  let fault: { when: 'before' | 'after'; error: Error } | undefined;
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
