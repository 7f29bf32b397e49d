import { decodeProtectedHeader, errors } from 'jose';
import { Unauthenticated } from '../../http/errors.js';
import { issuerOf, type KeySet, type OpenKeySet } from '../keys/key-set.js';
import type { TrustedIssuer } from '../settings.js';

/** `typ` of identity tokens: OpenID Connect has none, or `JWT`. Codes, access tokens and logout tokens have other types. */
const identityTokenType = /^(application\/)?jwt$/i;

/**
 * OpenID Connect Core §2; false for other issuers. Throws `Unauthenticated` if the token is not valid, and
 * `KeySetUnavailable`.
 */
export type IdentityTokenCheck = (token: string) => Promise<boolean>;

/** Reads key files at once: throws `UnusableKeys`. */
export async function trustedIssuers(
  issuers: readonly TrustedIssuer[],
  { now, openKeySet }: { now: () => Date; openKeySet: OpenKeySet },
): Promise<IdentityTokenCheck> {
  const trusted = new Map<string, TrustedIssuer & { keySet: KeySet }>();
  for (const each of issuers) {
    const keySet = await openKeySet(`TRUSTED_ISSUERS ${each.issuer}`, each.keys);
    trusted.set(each.issuer, { ...each, keySet });
  }

  if (trusted.size === 0) return async () => false;
  return async (token) => {
    const found = trusted.get(issuerOf(token) ?? '');
    if (!found) return false;
    const { issuer, audience, keySet, maxAgeMs } = found;
    try {
      await keySet.verify(token, {
        issuer,
        currentDate: now(),
        requiredClaims: ['sub', 'exp'],
        maxTokenAge: maxAgeMs / 1_000, // of `iat`, which is required with it
        audience,
      });
      const { typ = 'JWT' } = decodeProtectedHeader(token);
      if (!identityTokenType.test(typ)) throw new Unauthenticated('this is not an identity token');
      return true;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new Unauthenticated('the identity token is not valid');
      throw error;
    }
  };
}
