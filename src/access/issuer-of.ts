import { decodeJwt, errors } from 'jose';

/** The issuer that a token names, before verification; undefined if the text is no JWT or names none. */
export function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return undefined;
    throw error;
  }
}
