import { createHash } from 'node:crypto';
import { decodeProtectedHeader, errors } from 'jose';
import { z } from 'zod';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import type { KeySet } from '../keys/key-set.js';
import { InvalidGrant } from '../oauth-errors.js';
import type { CodeVerification } from './code-verification.js';

export type SignedCodeSettings = {
  readonly issuer: string;
  readonly keys: KeySet;
  /** Checked if given. */
  readonly audience?: string;
  /** Maximum remaining lifetime of a code; a longer one is refused, because codes pass through browsers and logs. */
  readonly maxLifetimeMs?: number;
  readonly now: () => Date;
};

const codeTypes = new Set(['jwt', 'code+jwt']);

const defaultMaxLifetimeMs = 10 * 60_000;

const claimsSchema = z.object({
  sub: opaqueId,
  org_id: opaqueId,
  jti: z.string().min(1).max(256),
  exp: z.number(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.literal('S256').optional(),
  client_id: z.string().optional(),
  redirect_uri: z.string().optional(),
  scope: z.string().optional(),
});

type Claims = z.output<typeof claimsSchema>;

/** Verifies codes that are short-lived JWTs of a trusted login page, with `sub`, `org_id`, `jti`, `exp` and `code_challenge`. */
export function signedCodes(settings: SignedCodeSettings): CodeVerification {
  const { issuer, maxLifetimeMs = defaultMaxLifetimeMs, now } = settings;
  return {
    async verify(code, { codeVerifier } = {}) {
      const claims = await claimsOf(code, settings);
      if (claims.exp * 1_000 > now().getTime() + maxLifetimeMs)
        throw new InvalidGrant('the lifetime of the code is too long');
      requireProof(claims, codeVerifier);
      return {
        issuer,
        codeId: claims.jti,
        userId: claims.sub,
        orgId: claims.org_id,
        clientId: claims.client_id,
        redirectUri: claims.redirect_uri,
        scope: claims.scope,
        hadChallenge: claims.code_challenge !== undefined,
      };
    },
  };
}

async function claimsOf(code: string, { issuer, keys, audience, now }: SignedCodeSettings): Promise<Claims> {
  try {
    requireCodeType(code);
    const payload = await keys.verify(code, {
      issuer,
      currentDate: now(),
      requiredClaims: ['sub', 'org_id', 'jti', 'exp'],
      ...(audience !== undefined && { audience }),
    });
    return claimsSchema.parse(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) {
      throw new InvalidGrant(`the code is not valid: ${error.message}`, error);
    }
    throw error;
  }
}

/** Refuses tokens of another `typ`, which a login page may sign with the same keys (RFC 8725 §3.11). */
function requireCodeType(code: string): void {
  const type = typeOf(code);
  if (type !== undefined && !codeTypes.has(type.toLowerCase())) throw new InvalidGrant(`a ${type} is not a code`);
}

function typeOf(code: string): string | undefined {
  try {
    return decodeProtectedHeader(code).typ;
  } catch {
    return undefined; // not a JWT: verifying it throws
  }
}

/** RFC 7636 §4.6, S256 only. */
function requireProof({ code_challenge: challenge }: Claims, codeVerifier: string | undefined): void {
  if (challenge === undefined) return;
  if (codeVerifier === undefined) throw new InvalidGrant('the code requires a code_verifier');
  const computed = createHash('sha256').update(codeVerifier).digest('base64url');
  if (computed !== challenge) throw new InvalidGrant('the code_verifier does not match the code_challenge');
}
