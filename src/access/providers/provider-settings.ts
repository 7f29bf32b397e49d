import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { opaqueId } from '../../kernel/input/texts.js';
import { found, httpUrl, json } from '../../kernel/settings/texts.js';
import { UnusableKeys } from '../errors.js';
import { describeReadError } from '../keys/key-files.js';

const text = z.string().min(1);

/** OpenID Connect Discovery §4: metadata is below the issuer. The text is kept: providers compare it by character. */
const issuer = httpUrl
  .refine((given) => !/[?#]/.test(given), 'must have no query and no fragment in an issuer')
  .refine((given) => !/\/\.well-known\//.test(given), {
    error: ({ input }) => `must have issuers without /.well-known${found('has', input)}`,
  });

/** A client of an OpenID provider. */
export const openIdClient = z.strictObject({
  issuer,
  clientId: text,
  clientSecret: text.optional(),
  clientSecretFile: text.transform((path) => resolve(path)).optional(),
  clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']).default('client_secret_post'),
  scopes: z
    .array(text)
    .refine((scopes) => scopes.includes('openid'), 'must have the scope openid among the scopes')
    .default(['openid', 'profile', 'email']),
  /** OpenID Connect Core §3.1.2.1. */
  prompt: text.optional(),
});

export type ProviderClient = z.output<typeof openIdClient>;

type ClientSecret = { clientSecret?: string | undefined; clientSecretFile?: string | undefined };

export const oneSecret = [
  ({ clientSecret, clientSecretFile }: ClientSecret) =>
    (clientSecret === undefined) !== (clientSecretFile === undefined),
  'must have either clientSecret or clientSecretFile',
] as const;

const user = z.object({
  userClaim: text.default('sub'),
  /** Name or path of the claim with the organisations of a user. */
  organisationsClaim: text.optional(),
  /** The part of an organisation in the claim that is its ID here; default: `alias`. */
  organisationId: z.enum(['alias', 'id']).optional(),
  /** The organisation of all users. */
  organisation: z
    .string()
    .refine((id) => opaqueId.safeParse(id).success, 'must have an organisation of 1 to 256 printable characters')
    .optional(),
});

export type UserSettings = z.output<typeof user>;

const provider = openIdClient
  .extend(user.shape)
  .refine(...oneSecret)
  .refine(
    ({ organisationsClaim, organisationId }) => organisationId === undefined || organisationsClaim !== undefined,
    'must have organisationsClaim beside organisationId',
  )
  .refine(
    ({ organisationsClaim, organisation }) => (organisationsClaim === undefined) !== (organisation === undefined),
    'must have either organisationsClaim or organisation',
  );

export type ProviderSettings = z.output<typeof provider>;

/** Providers by request host. */
export const loginProviders = json(
  'a JSON object from request host to {"issuer", "clientId", "clientSecret" or "clientSecretFile", "organisationsClaim" or ' +
    '"organisation", "organisationId"?, "userClaim"?, "scopes"?, "clientAuthentication"?, "prompt"?}',
  z.record(text, provider).refine((hosts) => Object.keys(hosts).length > 0, 'must name at least one provider'),
);

/** Throws `UnusableKeys`, which names the setting. */
export async function clientSecretOf(
  setting: string,
  { clientSecret = '', clientSecretFile: file }: ClientSecret,
): Promise<string> {
  if (file === undefined) return clientSecret;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UnusableKeys(`${setting}: ${describeReadError(error, file)}`, { cause: error });
  });
  const secret = text.trim();
  if (secret === '') throw new UnusableKeys(`${setting}: ${file} is empty`);
  return secret;
}
