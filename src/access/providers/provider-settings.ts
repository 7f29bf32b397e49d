import { readFile } from 'node:fs/promises';
import { UnusableKeys } from '../errors.js';
import { describeReadError } from '../keys/key-files.js';

export type ProviderClient = {
  /** The issuer: the metadata is at `<issuer>/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;
  clientSecret: { text: string } | { file: string };
  clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  scopes: readonly string[];
  /** OpenID Connect Core §3.1.2.1. */
  prompt: string | undefined;
};

export type ProviderSettings = ProviderClient & {
  userClaim: string;
  /** `claim`: name or path; `by`: the part that is the ID here. `fixed`: the organisation of all users. */
  organisations: { claim: string; by: 'alias' | 'id' } | { fixed: string };
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
