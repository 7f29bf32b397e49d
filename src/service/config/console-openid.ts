import { resolve } from 'node:path';
import { z } from 'zod';
import { adminRoles } from '../../access/admin-keys.js';
import type { ConsoleProviderSettings } from '../../console/session/console-provider.js';
import { issuerUrl, openIdProvider } from './login-providers.js';
import { parseJson } from './setting-values.js';

const text = z.string().min(1);

const provider = z.strictObject({
  ...openIdProvider,
  claim: text,
  roles: z.record(text, z.enum(adminRoles)),
});

const shape =
  'a JSON object {"issuer", "clientId", "clientSecret" or "clientSecretFile", "claim", "roles": {"<value of the claim>": ' +
  '"viewer", "operator" or "owner"}, "scopes"?, "clientAuthentication"?, "prompt"?}';

/** Parses `CONSOLE_OPENID`. Throws an error whose message follows the setting's name; it never contains a secret. */
export function consoleOpenId(value: string): ConsoleProviderSettings {
  const { issuer, clientSecret, clientSecretFile, prompt, ...given } = parseJson(value, provider, shape);
  if (!given.scopes.includes('openid')) throw new Error('must have the scope openid among its scopes');
  if (Object.keys(given.roles).length === 0) throw new Error('must name at least one value of the claim in roles');
  if ((clientSecret === undefined) === (clientSecretFile === undefined)) {
    throw new Error('must have either clientSecret or clientSecretFile');
  }
  return {
    ...given,
    issuer: issuerUrl(issuer),
    clientSecret: clientSecretFile === undefined ? { text: clientSecret ?? '' } : { file: resolve(clientSecretFile) },
    prompt,
  };
}
