import { issuerOf } from '../issuer-of.js';
import { InvalidGrant } from '../oauth-errors.js';
import type { CodeVerification } from './code-verification.js';

/** Verifies codes of several issuers: each code is verified as one of the issuer that it names. */
export const codesByIssuer = (verifications: ReadonlyMap<string, CodeVerification>): CodeVerification => ({
  async verify(code, proof) {
    const verification = verifications.get(issuerOf(code) ?? '');
    if (!verification) throw new InvalidGrant('the code is of no known issuer');
    return verification.verify(code, proof);
  },
});
