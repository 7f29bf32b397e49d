/** An OpenID provider, and the client that this service is there. */
export type ProviderClient = {
  /** The issuer: the metadata is at `<issuer>/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  /** The secret, or the file with it. */
  readonly clientSecret: { readonly text: string } | { readonly file: string };
  readonly clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  /** Scopes that are requested of the provider. */
  readonly scopes: readonly string[];
  /** `prompt` of the request (OpenID Connect Core §3.1.2.1). */
  readonly prompt: string | undefined;
};

/** An OpenID provider with which users sign in. */
export type ProviderSettings = ProviderClient & {
  /** The claim of the ID token with the user's ID. */
  readonly userClaim: string;
  /** The claim with the user's organisations, or the organisation of all users of this provider. */
  readonly organisations: { readonly claim: string } | { readonly fixed: string };
};
