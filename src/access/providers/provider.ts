import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { TooManyRequests } from '../../http/errors.js';
import { watchFailures } from '../../kernel/failures.js';
import { ProviderUnavailable } from '../errors.js';
import type { IssuerFetch } from '../issuer-fetch.js';
import type { Claims, IdentifiedUser } from './claims.js';
import { providerDiscovery } from './provider-discovery.js';
import { refusalOf } from './provider-errors.js';
import type { ProviderClient } from './provider-settings.js';

/** Binds a provider's answer to the request and the browser. */
export type SignInAttempt = {
  callback: string;
  state: string;
  nonce: string;
  codeVerifier: string;
};

export type AccountChoice = { otherAccount?: boolean };

export type Provider<User = IdentifiedUser> = {
  issuer: string;
  /**
   * `otherAccount`: the provider asks for the account, also if the user is signed in. Throws `ProviderUnavailable` and
   * `TooManyRequests`.
   */
  authorizationUrl: (attempt: SignInAttempt, choice?: AccountChoice) => Promise<URL>;
  /** Undefined if the provider offers no such page, or cannot be used now. */
  endSessionUrl: () => Promise<URL | undefined>;
  /**
   * Exchanges the code and verifies the ID token. `answer`: callback URL with its query. Throws `AuthorizationRefused`,
   * the errors of `userOf`, and `ProviderUnavailable` and `TooManyRequests`, after which the same answer may be tried
   * again.
   */
  identify: (answer: URL, attempt: SignInAttempt) => Promise<User>;
  /** Never rejects: see `failure`. */
  check: () => Promise<void>;
  failure: () => unknown;
};

type ProviderDependencies<User> = {
  fetch: IssuerFetch;
  log: Logger;
  /** Maximum number of concurrent requests to the provider, which leaves slots for token requests. */
  maxSignIns: number;
  monotonicMs?: () => number;
  /** Throws `AuthorizationRefused`. */
  userOf: (claims: Claims) => User;
};

export type RequestSlots = {
  maxConcurrentRequests: number;
};

/** Share of all providers together: other requests always have slots. */
const shareOfSlots = 1 / 4;

/** `providers`: number of providers that divide the share. */
export const maxSignInsOf = ({ maxConcurrentRequests }: RequestSlots, providers: number): number =>
  Math.max(1, Math.floor((maxConcurrentRequests * shareOfSlots) / providers));

export function openProvider<User>(
  client: ProviderClient,
  clientSecret: string,
  dependencies: ProviderDependencies<User>,
): Provider<User> {
  const { issuer, scopes, prompt } = client;
  const { maxSignIns, log, userOf } = dependencies;
  const failures = watchFailures(log, `sign-in with the identity provider ${issuer}`);
  const discovery = providerDiscovery(client, clientSecret, dependencies);
  let inProgress = 0;

  async function configuration(): Promise<openid.Configuration> {
    try {
      return await discovery.configuration();
    } catch (error) {
      throw unavailable(error);
    }
  }

  function unavailable(cause: unknown): ProviderUnavailable {
    discovery.forget();
    const error = new ProviderUnavailable(issuer, cause);
    failures.record(error);
    return error;
  }

  async function takingPlace<Result>(step: () => Promise<Result>): Promise<Result> {
    if (inProgress >= maxSignIns) throw new TooManyRequests('too many users sign in at once; try again shortly');
    inProgress += 1;
    try {
      return await step();
    } finally {
      inProgress -= 1;
    }
  }

  return {
    issuer,
    failure: failures.current,

    check: () => configuration().then(failures.recovered, () => undefined), // `unavailable` has noted the error

    async authorizationUrl({ callback, state, nonce, codeVerifier }, { otherAccount = false } = {}) {
      const configured = await takingPlace(configuration);
      failures.recovered();
      const asked = otherAccount ? promptForAccount(configured.serverMetadata()) : prompt;
      return openid.buildAuthorizationUrl(configured, {
        redirect_uri: callback,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(asked !== undefined && { prompt: asked }),
      });
    },

    async endSessionUrl() {
      try {
        const configured = await takingPlace(configuration);
        return endSessionUrlOf(configured);
      } catch (error) {
        if (error instanceof ProviderUnavailable || error instanceof TooManyRequests) return undefined;
        throw error;
      }
    },

    identify: (answer, { state, nonce, codeVerifier }) =>
      takingPlace(async () => {
        const configured = await configuration();
        try {
          const tokens = await openid.authorizationCodeGrant(configured, answer, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
          });
          failures.recovered();
          return userOf({ ...tokens.claims() });
        } catch (error) {
          throw refusalOf(error) ?? unavailable(error);
        }
      }),
  };
}

/** OpenID Connect Core §3.1.2.1. Providers without account choice ask for a login. */
function promptForAccount({ prompt_values_supported: supported }: Readonly<Record<string, unknown>>): string {
  return Array.isArray(supported) && !supported.includes('select_account') ? 'login' : 'select_account';
}

/** RP-Initiated Logout §2: the provider asks the user, since no ID token is kept as a hint. */
function endSessionUrlOf(configured: openid.Configuration): URL | undefined {
  const { end_session_endpoint: endpoint } = configured.serverMetadata();
  return endpoint !== undefined && /^https?:/i.test(endpoint) ? openid.buildEndSessionUrl(configured) : undefined;
}
