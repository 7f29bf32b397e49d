import { jwtVerify } from 'jose';
import type { SigningKeys } from '../keys/signing-keys.js';
import { type CodeVerification, signCode, signedCodes } from '../sign-in/codes.js';
import type { PlatformRequest } from '../sign-in/platform-request.js';

/** Short: platforms exchange a code at once, and codes pass through browsers and logs. */
const lifetimeSeconds = 120;

export type OwnCodes = ReturnType<typeof ownCodes>;

/** One-use codes: JWTs with the issuer and signing keys of access tokens, and another `typ`. */
export function ownCodes({ issuer, signingKeys, now }: { issuer: string; signingKeys: SigningKeys; now: () => Date }) {
  const verification = signedCodes({
    issuer,
    audience: issuer,
    keys: {
      failure: () => undefined,
      verify: async (token, options) =>
        (await jwtVerify(token, signingKeys.find, { algorithms: [...signingKeys.algorithms], ...options })).payload,
    },
    now,
  });
  return {
    /** Bound to the client, redirect URI, scopes and challenge of the request. */
    issue: ({ scopes, ...request }: PlatformRequest, user: { userId: string; orgId: string }) =>
      signCode(
        signingKeys,
        { ...request, scope: scopes.join(' '), ...user },
        { iss: issuer, aud: issuer, now: now(), lifetimeSeconds },
      ),
    verification: {
      verify: async (...presented: Parameters<CodeVerification['verify']>) => ({
        ...(await verification.verify(...presented)),
        needsClient: true,
      }),
    },
  };
}
