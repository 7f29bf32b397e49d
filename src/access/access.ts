import type { Logger } from 'pino';
import { type Routes, requestedHost } from '../http/context.js';
import type { GuessLimits } from '../http/limits/request-limits.js';
import type { EgressProxy } from '../kernel/egress/settings.js';
import type { Mode } from '../kernel/settings/setting.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { apiKeyVerification, findApiKey } from './api-keys/verify-api-key.js';
import { bearerToken } from './authorization-header.js';
import { clientAuthentication } from './clients/client-authentication.js';
import { clientDocuments, maxDocumentBytes } from './clients/client-documents.js';
import { clientRegistry } from './clients/client-registry.js';
import type { Identity } from './identity/caller.js';
import { identityOf } from './identity/identify.js';
import { type IssuerFetchOptions, isInLocalNetwork, issuerFetch } from './issuer-fetch.js';
import { type KeySetStatus, keySetReports } from './keys/key-set.js';
import { keyRoutes } from './keys/routes.js';
import type { ServiceKeys } from './keys/service-keys.js';
import { protectedResources } from './protected-resource.js';
import { type OperatorProvider, operatorTokens } from './providers/operator-sign-in.js';
import type * as Providers from './providers/providers.js';
import { serviceIssuer } from './service-issuer.js';
import { findTokenWith } from './sessions/introspect-token.js';
import { metadata } from './sessions/metadata.js';
import { introspection, introspectionCaller, revocation, revocationCaller } from './sessions/routes.js';
import type { SignInSettings } from './settings.js';
import { codesByIssuer } from './sign-in/codes.js';
import { byHost } from './sign-in/routes.js';
import { signIn } from './sign-in/sign-in.js';
import { limitFailures } from './token-errors.js';
import { accessTokens } from './tokens/access-token.js';
import { codeExchange } from './tokens/exchange-code.js';
import { sessionRefresh } from './tokens/refresh-session.js';
import { tokenRoutes } from './tokens/routes.js';
import type { SessionLimits } from './tokens/session.js';
import { trustedIssuers } from './tokens/trusted-issuers.js';

export type AccessSettings = {
  mode: Mode;
  dataDirectory: string;
  http: { publicUrl: string | undefined; maxConcurrentRequests: number };
  signIn: SignInSettings;
  /** The endpoint for agents, a resource of the service. */
  mcp: { isOn: boolean };
  tokens: SessionLimits & { accessTokenTtlMs: number };
  console: { openid: OperatorProvider | undefined };
  egress: EgressProxy | undefined;
};

type AccessDependencies = {
  store: EventStore;
  keys: ServiceKeys;
  limits: GuessLimits;
  log: Logger;
  /** Connects to the addresses alone to which deliveries may go. */
  openGuardedConnector: IssuerFetchOptions['openConnector'];
};

/** Issuers whose tokens and sign-ins are accepted, each with its state. */
export type Issuers = {
  keySets: readonly KeySetStatus[];
  identityProviders: Providers.IdentityProviders['statuses'];
};

export type Access = Issuers & {
  identity: Identity;
  routes: readonly Routes[];
};

/** Access tokens of development mode stay valid when the port changes. */
const developmentIssuer = 'urn:flow-hooks:development';

/** Sign-in, tokens, and the identity of callers. Throws `UnusableKeys` if a key file cannot be used. */
export async function access(settings: AccessSettings, dependencies: AccessDependencies): Promise<Access> {
  const { http, tokens: limits } = settings;
  const { store, log, limits: requestLimits } = dependencies;
  const { masterKeys, signingKeys, adminKeys } = dependencies.keys;
  const now = () => new Date();

  const plainHttpTo = settings.mode === 'development' ? () => true : isInLocalNetwork;
  const fetch = issuerFetch({ plainHttpTo, egress: settings.egress });
  const { clientHosts } = settings.signIn;
  const acceptedHosts = byHost(Object.fromEntries(clientHosts.map((host) => [host, true])));
  const documents = clientDocuments({
    fetch: issuerFetch({
      plainHttpTo: () => true,
      openConnector: dependencies.openGuardedConnector,
      maxBytes: maxDocumentBytes,
    }),
    isAcceptedHost: (host) => acceptedHosts(host) === true,
    allowHttp: settings.mode === 'development',
    now,
  });
  const clients = clientRegistry(store, undefined, documents);
  const keySets = keySetReports({ fetch, log });
  const issuer = http.publicUrl ?? developmentIssuer;
  const issuerOf = serviceIssuer(http.publicUrl);
  const resourceOf = protectedResources(settings.mcp.isOn, issuerOf);
  const hostOf = requestedHost;
  const loginPages = await signIn(settings, { openKeySet: keySets.open, clients, hostOf, issuerOf, resourceOf, now });
  const signInParts = { clients, issuer, issuerOf, resourceOf, hostOf, fetch, now };
  const providers = await openProviders(settings, { ...dependencies, ...signInParts });
  const codes = codesByIssuer(new Map([...loginPages.codes, ...providers.codes]));
  const tokens = accessTokens({
    issuer,
    ttlMs: limits.accessTokenTtlMs,
    limits,
    signingKeys,
    store,
    clients,
    now,
  });
  const identity = identityOf({
    believeEveryone: settings.mode === 'development',
    verifyAccessToken: tokens.verify,
    verifyApiKey: apiKeyVerification(store, now),
    checkingKey: requestLimits.wrongKeys,
    bearerToken,
    adminKeys,
    verifyOperatorToken: operatorTokens({ masterKeys, now }, settings.console.openid).verify,
  });
  const authentication = clientAuthentication(clients, now);
  const limited = limitFailures(requestLimits, authentication);
  const tokenQueries = { findToken: findTokenWith({ store, masterKeys, accessTokens: tokens }), limited, now };
  return {
    identity,
    routes: [
      ...providers.routes,
      ...loginPages.routes,
      tokenRoutes({
        exchangeCode: codeExchange({ store, codes, masterKeys, accessTokens: tokens, limits, now }),
        refreshSession: sessionRefresh({ store, masterKeys, accessTokens: tokens, limits, now }),
        accessTokens: tokens,
        requireBearer: identity.requireBearer,
        clients: authentication,
        limited,
        resourceOf,
        isIdentityToken: await trustedIssuers(settings.signIn.trustedIssuers, { now, openKeySet: keySets.open }),
      }),
      revocation({ ...tokenQueries, store, authenticate: revocationCaller(authentication) }),
      introspection({
        ...tokenQueries,
        registry: clients,
        findApiKey: (text) => findApiKey(store, text, now()),
        authenticate: introspectionCaller(identity, authentication),
        issuer,
        limits,
      }),
      metadata({ ...http, ...settings.mcp, hasDocuments: clientHosts.length > 0, issuerOf }),
      keyRoutes({ signingKeys }),
    ],
    keySets: keySets.opened,
    identityProviders: providers.statuses,
  };
}

/** The client of OpenID providers is loaded only where there are any. */
export const openProviders: typeof Providers.identityProviders = async (settings, dependencies) => {
  if (Object.keys(settings.signIn.providers).length === 0) return { routes: [], codes: new Map(), statuses: [] };
  return (await import('./providers/providers.js')).identityProviders(settings, dependencies);
};
