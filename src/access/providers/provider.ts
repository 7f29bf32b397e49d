import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { TooManyRequests } from '../../http/errors.js';
import { watchTrouble } from '../../kernel/trouble.js';
import { ProviderUnavailable } from '../errors.js';
import type { IssuerFetch } from '../issuer-fetch.js';
import type { Claims, IdentifiedUser } from './claims.js';
import { providerDiscovery } from './provider-discovery.js';
import { refusalOf } from './provider-errors.js';
import type { ProviderClient } from './provider-settings.js';

/** The values that bind a provider's answer to the request and to the browser. */
export type SignInAttempt = {
  /** The URL of this service that the provider answers to. */
  readonly callback: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
};

export type AccountChoice = { readonly otherAccount?: boolean };

/** An OpenID provider, as its client. */
export type Provider<User = IdentifiedUser> = {
  readonly issuer: string;
  /**
   * Where to send the user; `otherAccount`: the provider asks which account to use, also a user who is signed in there. Throws
   * `ProviderUnavailable` and `TooManyRequests`.
   */
  readonly authorizationUrl: (attempt: SignInAttempt, choice?: AccountChoice) => Promise<URL>;
  /** Where users sign out of the provider; undefined if it offers no such page, or cannot be used now. */
  readonly endSessionUrl: () => Promise<URL | undefined>;
  /**
   * Checks the provider's answer, exchanges its code, and verifies the ID token with its signature. `answer`: the callback URL
   * with the query that came. Throws `AuthorizationRefused`, the errors of `userOf`, and `ProviderUnavailable` and
   * `TooManyRequests`, after which the same answer may be tried again.
   */
  readonly identify: (answer: URL, attempt: SignInAttempt) => Promise<User>;
  /** Reads the metadata. Never rejects: `trouble` tells the result. */
  readonly check: () => Promise<void>;
  /** The error because of which the provider could not be used the last time. */
  readonly trouble: () => unknown;
};

type ProviderDependencies<User> = {
  readonly fetch: IssuerFetch;
  readonly log: Logger;
  /** Maximum number of requests that wait for the provider, so that those for tokens always find a slot. */
  readonly maxSignIns: number;
  /** For tests. */
  readonly monotonicMs?: () => number;
  /** The user that the claims of the ID token name. Throws `AuthorizationRefused` if they do not. */
  readonly userOf: (claims: Claims) => User;
};

export type RequestSlots = {
  /** Maximum number of requests in progress on this instance; further ones are refused. */
  readonly maxConcurrentRequests: number;
};

/** Of the users' providers together, and of the console's one: half of the slots are always left for other requests. */
const shareOfSlots = 1 / 4;

/** `providers`: the number of those that share the share. */
export const maxSignInsOf = ({ maxConcurrentRequests }: RequestSlots, providers: number): number =>
  Math.max(1, Math.floor((maxConcurrentRequests * shareOfSlots) / providers));

export function openProvider<User>(
  client: ProviderClient,
  clientSecret: string,
  dependencies: ProviderDependencies<User>,
): Provider<User> {
  const { issuer, scopes, prompt } = client;
  const { maxSignIns, log, userOf } = dependencies;
  const trouble = watchTrouble(log, `sign-in with the identity provider ${issuer}`);
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
    trouble.met(error);
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
    trouble: trouble.current,

    check: () => configuration().then(trouble.over, () => undefined), // `unavailable` has noted the error

    async authorizationUrl({ callback, state, nonce, codeVerifier }, { otherAccount = false } = {}) {
      const configured = await takingPlace(configuration);
      trouble.over();
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
          trouble.over();
          return userOf({ ...tokens.claims() });
        } catch (error) {
          throw refusalOf(error) ?? unavailable(error);
        }
      }),
  };
}

/** OpenID Connect Core §3.1.2.1. Some providers know no choice of accounts, and say so: they ask for a login instead. */
function promptForAccount({ prompt_values_supported: supported }: Readonly<Record<string, unknown>>): string {
  return Array.isArray(supported) && !supported.includes('select_account') ? 'login' : 'select_account';
}

/** OpenID Connect RP-Initiated Logout §2: the provider asks the user, since this service keeps no ID token to send as a hint. */
function endSessionUrlOf(configured: openid.Configuration): URL | undefined {
  const { end_session_endpoint: endpoint } = configured.serverMetadata();
  return endpoint !== undefined && /^https?:/i.test(endpoint) ? openid.buildEndSessionUrl(configured) : undefined;
}
