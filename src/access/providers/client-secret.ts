import { readFile } from 'node:fs/promises';
import { UnusableKeys } from '../keys/errors.js';
import { describeReadError } from '../keys/text-or-file.js';
import type { ProviderClient } from './provider-settings.js';

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
