import { calculateJwkThumbprint, compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import type { SigningKeys } from '../../../access/keys/signing-keys.js';
import { SealNotGenuine } from '../errors.js';

/** `typ` of the statement: distinguishes it from every other JWT, such as an access token. */
const type = 'flow-hooks-seal+jwt';

const statementSchema = z.object({
  /** ISO 8601. */
  sealedAt: z.iso.datetime(),
  categories: z.array(z.string()).min(1),
  streams: z.int().nonnegative(),
  events: z.int().nonnegative(),
  /** SHA-256, hex, of the lines after the statement in the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The signed content of a seal. */
export type SealStatement = z.output<typeof statementSchema>;

export type SignedStatement = SealStatement & {
  /** RFC 7638, of the signing key. */
  readonly thumbprint: string;
};

const claimsSchema = z.object({ ...statementSchema.shape, jwk: z.looseObject({ kty: z.string(), alg: z.string() }) });

/** A compact JWS that contains the public key beside the statement, so that it can be verified after the key is retired. */
export function signStatement(statement: SealStatement, signingKeys: SigningKeys): Promise<string> {
  const { publicJwk: jwk } = signingKeys.signer();
  return signingKeys.sign({ ...statement, jwk }, type);
}

/**
 * Verifies the statement with the key that it contains. The caller decides by `thumbprint` whether to trust that key.
 * Throws `SealNotGenuine`.
 */
export async function verifyStatement(jws: string): Promise<SignedStatement> {
  try {
    const { jwk, ...statement } = claimsSchema.parse(decodeJwt(jws));
    if (decodeProtectedHeader(jws).typ !== type) throw new Error('it is a token of another type');
    const algorithms = ['ES256', 'EdDSA'];
    await compactVerify(jws, await importJWK(jwk as JWK, jwk.alg), { algorithms }); // jose checks the key
    return { ...statement, thumbprint: await calculateJwkThumbprint(jwk as JWK) };
  } catch (error) {
    throw new SealNotGenuine('the first line of the seal is not a statement signed with its key', { cause: error });
  }
}
