/** Who has signed in, as a verified code says. */
export type SignedIn = {
  readonly issuer: string;
  /** Unique with this issuer: tells whether a code was used before. */
  readonly codeId: string;
  readonly userId: string;
  readonly orgId: string;
};

/** How a code from the login page is judged. */
export interface CodeVerification {
  /**
   * `codeVerifier` is checked where the code was made for one (RFC 7636). Throws `InvalidGrant` where the code is not good,
   * and `KeySetUnavailable` where that cannot be told now.
   */
  verify(code: string, proof?: { readonly codeVerifier?: string | undefined }): Promise<SignedIn>;
}
