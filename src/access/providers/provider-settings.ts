import { readFile } from 'node:fs/promises';
import { UnusableKeys } from '../errors.js';
import { describeReadError } from '../keys/key-files.js';

export type ProviderClient = {
  /** The issuer: the metadata is at `<issuer>/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: { readonly text: string } | { readonly file: string };
  readonly clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  readonly scopes: readonly string[];
  /** OpenID Connect Core §3.1.2.1. */
  readonly prompt: string | undefined;
};

export type ProviderSettings = ProviderClient & {
  readonly userClaim: string;
  /** `claim`: name or path; `by`: the part that is the ID here. `fixed`: the organisation of all users. */
  readonly organisations: { readonly claim: string; readonly by: 'alias' | 'id' } | { readonly fixed: string };
};

/** Throws `UnusableKeys`, which names the setting. */
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
