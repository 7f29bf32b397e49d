import { readFile } from 'node:fs/promises';
import { UnusableKeys } from '../errors.js';
import { describeReadError } from '../keys/key-files.js';

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
  /**
   * The claim with the user's organisations, or its path, and what of an organisation in it is its ID here; or the organisation of all
   * users of this provider.
   */
  readonly organisations: { readonly claim: string; readonly by: 'alias' | 'id' } | { readonly fixed: string };
};

/** The client secret, from its file if it is in one. Throws `UnusableKeys`, which names the setting. */
export async function clientSecretOf(
  setting: string,
  { clientSecret }: Pick<ProviderClient, 'clientSecret'>,
): Promise<string> {
  if ('text' in clientSecret) return clientSecret.text;
  const { file } = clientSecret;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UnusableKeys(`${setting}: ${describeReadError(error, file)}`, { cause: error });
  });
  const secret = text.trim();
  if (secret === '') throw new UnusableKeys(`${setting}: ${file} is empty`);
  return secret;
}
