import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { watchTrouble } from '../../kernel/trouble.js';
import type { IssuerFetch } from '../issuer-fetch.js';
import type { Claims, IdentifiedUser } from './claims.js';
import { discoveryMemory } from './discovery-memory.js';
import { ProviderUnavailable } from './errors.js';
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

/** An OpenID provider, as its client. */
export type Provider<User = IdentifiedUser> = {
  readonly issuer: string;
  /** Where to send the user. Throws `ProviderUnavailable`. */
  readonly authorizationUrl: (attempt: SignInAttempt) => Promise<URL>;
  /**
   * Checks the provider's answer, exchanges its code, and verifies the ID token with its signature. `answer`: the callback URL
   * with the query that came. Throws `AuthorizationRefused`, the errors of `userOf`, and `ProviderUnavailable`, after which the
   * same answer may be tried again.
   */
  readonly identify: (answer: URL, attempt: SignInAttempt) => Promise<User>;
  /** Reads the metadata. Never rejects: `trouble` tells the result. */
  readonly check: () => Promise<void>;
  /** The error because of which the provider could not be used the last time. */
  readonly trouble: () => unknown;
};

export type ProviderDependencies<User> = {
  readonly fetch: IssuerFetch;
  readonly log: Logger;
  /** The user that the claims of the ID token name. Throws `AuthorizationRefused` if they do not. */
  readonly userOf: (claims: Claims) => User;
};

export const newAttempt = (callback: string): SignInAttempt => ({
  callback,
  state: openid.randomState(),
  nonce: openid.randomNonce(),
  codeVerifier: openid.randomPKCECodeVerifier(),
});

/** Users wait for the answer. */
const timeoutSeconds = 10;
/** The clocks of the provider and of this service may differ. */
const clockToleranceSeconds = 60;

export function openProvider<User>(
  { issuer, clientId, clientAuthentication, scopes, prompt }: ProviderClient,
  clientSecret: string,
  { fetch, log, userOf }: ProviderDependencies<User>,
): Provider<User> {
  const trouble = watchTrouble(log, `sign-in with the identity provider ${issuer}`);
  const memory = discoveryMemory(fetch);
  const authentication =
    clientAuthentication === 'client_secret_basic'
      ? openid.ClientSecretBasic(clientSecret)
      : openid.ClientSecretPost(clientSecret);

  /**
   * A configuration for one sign-in: the metadata comes from memory, and the keys are fetched anew, so that a rotation of the
   * provider's keys is in force at once.
   */
  async function configuration(): Promise<openid.Configuration> {
    try {
      const configured = await openid.discovery(
        new URL(issuer),
        clientId,
        { client_secret: clientSecret, [openid.clockTolerance]: clockToleranceSeconds },
        authentication,
        {
          [openid.customFetch]: memory.fetch,
          timeout: timeoutSeconds,
          execute: [
            openid.enableNonRepudiationChecks, // verifies signatures of ID tokens, and does not rely on TLS alone
            ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
          ],
        },
      );
      memory.keep();
      return configured;
    } catch (error) {
      throw unavailable(error);
    }
  }

  function unavailable(cause: unknown): ProviderUnavailable {
    memory.forget();
    const error = new ProviderUnavailable(issuer, cause);
    trouble.met(error);
    return error;
  }

  return {
    issuer,
    trouble: trouble.current,

    check: () => configuration().then(trouble.over, () => undefined), // `unavailable` has noted the error

    async authorizationUrl({ callback, state, nonce, codeVerifier }) {
      const configured = await configuration();
      trouble.over();
      return openid.buildAuthorizationUrl(configured, {
        redirect_uri: callback,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(prompt !== undefined && { prompt }),
      });
    },

    async identify(answer, { state, nonce, codeVerifier }) {
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
    },
  };
}
