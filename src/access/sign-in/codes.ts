import { randomUUID } from 'node:crypto';
import { errors } from 'jose';
import { z } from 'zod';
import { opaqueId } from '../../kernel/input/texts.js';
import { InvalidGrant } from '../errors.js';
import { clockToleranceSeconds, issuerOf, type KeySet } from '../keys/key-set.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { hashOfSecret } from '../secret-hash.js';

export type SignedIn = {
  issuer: string;
  /** Unique for this issuer; identifies a code that was used before. */
  codeId: string;
  userId: string;
  orgId: string;
  /** Client of the authorization request; compared with the presenting client, if any is registered. */
  clientId?: string;
  redirectUri?: string;
  /** Space-delimited (RFC 6749 §3.3). */
  scope?: string;
  /** RFC 8707, as the authorization request had it. */
  resource?: string;
  /** True: no other caller may exchange it. */
  needsClient?: boolean;
  /** True: the verifier has matched it (RFC 7636). */
  hadChallenge?: boolean;
};

export interface CodeVerification {
  /**
   * `codeVerifier` must be given if, and only if, the code has a challenge (RFC 7636, RFC 9700 §2.1.1). Throws `InvalidGrant` if the code is not valid, and
   * `KeySetUnavailable` if it cannot be verified now.
   */
  verify(code: string, proof?: { codeVerifier?: string | undefined }): Promise<SignedIn>;
}

export const codesByIssuer = (verifications: ReadonlyMap<string, CodeVerification>): CodeVerification => ({
  async verify(code, proof) {
    const verification = verifications.get(issuerOf(code) ?? '');
    if (!verification) throw new InvalidGrant('the issuer of the code is not trusted');
    return verification.verify(code, proof);
  },
});

type SignedCodeSettings = {
  issuer: string;
  keys: KeySet;
  /** Checked if given; required in production mode. */
  audience?: string;
  now: () => Date;
};

/** Distinguishes codes from other tokens that a login page may sign with the same keys, such as identity tokens (RFC 8725 §3.11). */
const codeType = 'code+jwt';

/** A longer remaining lifetime is refused, because codes pass through browsers and logs. */
const maxLifetimeSeconds = 10 * 60;

const claimsSchema = z.object({
  sub: opaqueId,
  org_id: opaqueId,
  jti: z.string().min(1).max(256),
  exp: z.number(),
  iat: z.number().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.literal('S256').optional(),
  client_id: z.string().optional(),
  redirect_uri: z.string().optional(),
  scope: z.string().optional(),
  resource: z.string().optional(),
});

type Claims = z.output<typeof claimsSchema>;

/** Verifies codes that are short-lived JWTs of a trusted login page, with `sub`, `org_id`, `jti`, `exp` and `code_challenge`. */
export function signedCodes(settings: SignedCodeSettings): CodeVerification {
  const { issuer, now } = settings;
  return {
    async verify(code, { codeVerifier } = {}) {
      const claims = await claimsOf(code, settings);
      const nowSeconds = now().getTime() / 1_000;
      if (claims.exp > nowSeconds + maxLifetimeSeconds + clockToleranceSeconds)
        throw new InvalidGrant('the lifetime of the code is too long');
      if (claims.iat !== undefined && claims.iat > nowSeconds + clockToleranceSeconds)
        throw new InvalidGrant('the code was issued in the future');
      requireProof(claims, codeVerifier);
      return {
        issuer,
        codeId: claims.jti,
        userId: claims.sub,
        orgId: claims.org_id,
        clientId: claims.client_id,
        redirectUri: claims.redirect_uri,
        scope: claims.scope,
        resource: claims.resource,
        hadChallenge: claims.code_challenge !== undefined,
      };
    },
  };
}

async function claimsOf(code: string, { issuer, keys, audience, now }: SignedCodeSettings): Promise<Claims> {
  try {
    const payload = await keys.verify(code, {
      issuer,
      typ: codeType,
      currentDate: now(),
      requiredClaims: ['sub', 'org_id', 'jti', 'exp'],
      audience,
    });
    return claimsSchema.parse(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) {
      throw new InvalidGrant(`the code is not valid: ${error.message}`, error);
    }
    throw error;
  }
}

/** RFC 7636 §4.6, S256 only. */
function requireProof({ code_challenge: challenge }: Claims, codeVerifier: string | undefined): void {
  if (challenge === undefined) {
    // RFC 9700 §2.1.1: an attacker who took the challenge out of the request would make the proof worthless.
    if (codeVerifier !== undefined) throw new InvalidGrant('a code_verifier was sent, and the code has no challenge');
    return;
  }
  if (codeVerifier === undefined) throw new InvalidGrant('the code requires a code_verifier');
  if (hashOfSecret(codeVerifier) !== challenge)
    throw new InvalidGrant('the code_verifier does not match the code_challenge');
}

type CodeOf = Pick<SignedIn, 'userId' | 'orgId' | 'clientId' | 'redirectUri' | 'scope' | 'resource'> & {
  /** S256 (RFC 7636). */
  codeChallenge?: string;
};

/** A one-use code of the service itself. */
export function signCode(
  keys: SigningKeys,
  { userId, orgId, clientId, redirectUri, scope, resource, codeChallenge }: CodeOf,
  { now, lifetimeSeconds, ...audience }: { iss: string; aud?: string; now: Date; lifetimeSeconds: number },
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1_000);
  const claims = {
    ...audience,
    sub: userId,
    org_id: orgId,
    jti: randomUUID(),
    iat,
    exp: iat + lifetimeSeconds,
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    resource,
    ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
  };
  return keys.sign(claims, codeType);
}
