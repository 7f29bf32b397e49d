/** The user who signed in, from a verified code. */
export type SignedIn = {
  readonly issuer: string;
  /** Unique for this issuer; identifies a code that was used before. */
  readonly codeId: string;
  readonly userId: string;
  readonly orgId: string;
  /** What the code names of the authorization request; checked against the client that presents it, if any is registered. */
  readonly clientId?: string | undefined;
  readonly redirectUri?: string | undefined;
  /** Space-delimited (RFC 6749 §3.3). */
  readonly scope?: string | undefined;
  /** Whether the code was issued to a registered client, so that no other caller may exchange it. */
  readonly needsClient?: boolean;
  /** Whether the code had a challenge; then the verifier has matched it (RFC 7636). */
  readonly hadChallenge?: boolean;
};

/** Verifies codes from the login page. */
export interface CodeVerification {
  /**
   * `codeVerifier` must be given if, and only if, the code has a challenge (RFC 7636, RFC 9700 §2.1.1). Throws `InvalidGrant` if the code is not valid, and
   * `KeySetUnavailable` if it cannot be verified now.
   */
  verify(code: string, proof?: { readonly codeVerifier?: string | undefined }): Promise<SignedIn>;
}
