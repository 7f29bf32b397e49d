import { randomUUID } from 'node:crypto';
import { localKeySet } from '../keys/key-set.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { CodeVerification } from './code-verification.js';
import { signedCodes } from './signed-code.js';

/** The issuer of codes of the built-in login page: constant, because the page's address may change between starts. */
export const developmentIssuer = 'urn:flow-hooks:development-sign-in';

const lifetimeSeconds = 300;

type IssuedCode = { readonly code: string; readonly expiresInSeconds: number };

export type DevelopmentCodes = {
  /** `codeChallenge` is S256 (RFC 7636). */
  readonly issue: (user: {
    readonly userId: string;
    readonly orgId: string;
    readonly codeChallenge: string | undefined;
    /** Of the authorization request, as the platform sent them. */
    readonly clientId?: string | undefined;
    readonly redirectUri?: string | undefined;
    readonly scope?: string | undefined;
  }) => Promise<IssuedCode>;
  readonly verification: CodeVerification;
};

/** Issues codes for any user without a check: development mode only. */
export function developmentCodes(keys: SigningKeys, now: () => Date): DevelopmentCodes {
  return {
    verification: signedCodes({
      issuer: developmentIssuer,
      keys: localKeySet({ keys: [...keys.publicKeys.keys] }),
      now,
    }),
    async issue({ userId, orgId, codeChallenge, clientId, redirectUri, scope }) {
      const issuedAt = Math.floor(now().getTime() / 1_000);
      const claims = {
        iss: developmentIssuer,
        sub: userId,
        org_id: orgId,
        jti: randomUUID(),
        iat: issuedAt,
        exp: issuedAt + lifetimeSeconds,
        ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
      };
      return { code: await keys.sign(claims, 'code+jwt'), expiresInSeconds: lifetimeSeconds };
    },
  };
}
