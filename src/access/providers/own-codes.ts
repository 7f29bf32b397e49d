import { randomUUID } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { SigningKeys } from '../keys/signing-keys.js';
import { type CodeVerification, signedCodes } from '../sign-in/codes.js';
import type { PlatformRequest } from './platform-request.js';

/** Short: platforms exchange a code at once, and codes pass through browsers and logs. */
const lifetimeSeconds = 120;

export type OwnCodes = {
  /** Bound to the client, redirect URI, scopes and challenge of the request. */
  readonly issue: (
    request: PlatformRequest,
    user: { readonly userId: string; readonly orgId: string },
  ) => Promise<string>;
  readonly verification: CodeVerification;
};

/** One-use codes: JWTs with the issuer and signing keys of access tokens, and another `typ`. */
export function ownCodes({
  issuer,
  signingKeys,
  now,
}: {
  readonly issuer: string;
  readonly signingKeys: SigningKeys;
  readonly now: () => Date;
}): OwnCodes {
  const verification = signedCodes({
    issuer,
    audience: issuer,
    keys: {
      trouble: () => undefined,
      verify: async (token, options) => {
        const algorithms = [...signingKeys.algorithms];
        return (await jwtVerify(token, signingKeys.find, { algorithms, ...options })).payload;
      },
    },
    now,
  });
  return {
    issue({ clientId, redirectUri, scopes, codeChallenge }, { userId, orgId }) {
      const issuedAt = Math.floor(now().getTime() / 1_000);
      const claims = {
        iss: issuer,
        aud: issuer,
        sub: userId,
        org_id: orgId,
        jti: randomUUID(),
        iat: issuedAt,
        exp: issuedAt + lifetimeSeconds,
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      };
      return signingKeys.sign(claims, 'code+jwt');
    },
    verification: {
      verify: async (code, proof) => ({ ...(await verification.verify(code, proof)), needsClient: true }),
    },
  };
}
