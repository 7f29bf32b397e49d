import { resolve } from 'node:path';
import { z } from 'zod';
import { adminRoles } from '../../access/admin-keys.js';
import type { ProviderSettings } from '../../access/providers/provider-settings.js';
import type { IdentityProviderSettings } from '../../access/providers/providers.js';
import type { SignInSettings } from '../../access/sign-in/sign-in.js';
import type { ConsoleProviderSettings } from '../../console/session/console-provider.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { httpUrl, parseJson } from './setting-values.js';
import type { Reject } from './settings.js';

const text = z.string().min(1);

const openIdProvider = {
  issuer: text,
  clientId: text,
  clientSecret: text.optional(),
  clientSecretFile: text.optional(),
  clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']).default('client_secret_post'),
  scopes: z.array(text).default(['openid', 'profile', 'email']),
  prompt: text.optional(),
};

const provider = z.strictObject({
  ...openIdProvider,
  userClaim: text.default('sub'),
  organisationsClaim: text.optional(),
  organisationId: z.enum(['alias', 'id']).optional(),
  organisation: opaqueId.optional(),
});

const shape =
  'a JSON object from request host to {"issuer", "clientId", "clientSecret" or "clientSecretFile", "organisationsClaim" or ' +
  '"organisation", "organisationId"?, "userClaim"?, "scopes"?, "clientAuthentication"?, "prompt"?}';

/** Parses `LOGIN_PROVIDERS`. Throws an error whose message follows the setting's name; it never contains a secret. */
export function loginProviders(value: string): Readonly<Record<string, ProviderSettings>> {
  const given = parseJson(value, z.record(text, provider), shape);
  if (Object.keys(given).length === 0) throw new Error('must name at least one provider');
  return Object.fromEntries(Object.entries(given).map(([host, each]) => [host, settingsOf(host, each)]));
}

function settingsOf(host: string, given: z.output<typeof provider>): ProviderSettings {
  const { clientId, clientAuthentication, scopes, userClaim, prompt } = given;
  return {
    ...clientOf(given, host),
    clientId,
    clientAuthentication,
    scopes,
    userClaim,
    organisations: organisationsOf(host, given),
    prompt,
  };
}

type Client = {
  issuer: string;
  scopes: string[];
  clientSecret?: string | undefined;
  clientSecretFile?: string | undefined;
};

/** Checks the scopes, the issuer and the secret of a client; `host` is named in the messages. */
function clientOf({ issuer, scopes, clientSecret, clientSecretFile }: Client, host = '') {
  if (!scopes.includes('openid'))
    throw new Error(`must have the scope openid among the scopes${host && ` of ${host}`}`);
  if ((clientSecret === undefined) === (clientSecretFile === undefined))
    throw new Error(`must have either clientSecret or clientSecretFile${host && ` for ${host}`}`);
  const secret = clientSecretFile === undefined ? { text: clientSecret ?? '' } : { file: resolve(clientSecretFile) };
  return { issuer: issuerUrl(issuer), clientSecret: secret };
}

/** OpenID Connect Discovery §4: metadata is below the issuer. The text is kept: providers compare it by character. */
function issuerUrl(issuer: string): string {
  const url = httpUrl(issuer);
  if (url.search || url.hash) throw new Error(`must have no query and no fragment in an issuer, but has '${issuer}'`);
  if (/\/\.well-known\//.test(url.pathname))
    throw new Error(`must have issuers without /.well-known, but has '${issuer}'`);
  return issuer;
}

function organisationsOf(host: string, given: z.output<typeof provider>): ProviderSettings['organisations'] {
  const { organisationsClaim, organisation, organisationId } = given;
  if (organisationsClaim !== undefined && organisation === undefined)
    return { claim: organisationsClaim, by: organisationId ?? 'alias' };
  if (organisationId !== undefined) throw new Error(`must have organisationsClaim beside organisationId for ${host}`);
  if (organisation !== undefined && organisationsClaim === undefined) return { fixed: organisation };
  throw new Error(`must have either organisationsClaim or organisation for ${host}`);
}

type Logins = Pick<IdentityProviderSettings, 'http'> & {
  signIn: IdentityProviderSettings['signIn'] & Pick<SignInSettings['signIn'], 'login'>;
};

/** Rejects hosts with a login page and a provider, and codes whose issuer could be either. */
export function requireSeparateLogins({ http, signIn }: Logins, reject: Reject): void {
  const hosts = Object.keys(signIn.providers);
  const pages = new Set(Object.keys(signIn.loginUrls ?? {}).map((host) => host.toLowerCase()));
  const twice = hosts.find((host) => pages.has(host.toLowerCase()));
  if (twice !== undefined) reject('LOGIN_PROVIDERS', `has the host ${twice}, which LOGIN_URLS has too`);
  if (hosts.length > 0 && signIn.login !== undefined && signIn.login.issuer === http.publicUrl) {
    reject('LOGIN_ISSUER', 'must not be PUBLIC_URL where LOGIN_PROVIDERS is set');
  }
}

const consoleProvider = z.strictObject({
  ...openIdProvider,
  claim: text,
  roles: z.record(text, z.enum(adminRoles)),
  signedInSince: z.iso.datetime({ offset: true }).optional(),
});

const consoleShape =
  'a JSON object {"issuer", "clientId", "clientSecret" or "clientSecretFile", "claim", "roles": {"<value of the claim>": ' +
  '"viewer", "operator" or "owner"}, "signedInSince"?, "scopes"?, "clientAuthentication"?, "prompt"?}';

/** Parses `CONSOLE_OPENID`. Throws an error whose message follows the setting's name; it never contains a secret. */
export function consoleOpenId(value: string): ConsoleProviderSettings {
  const given = parseJson(value, consoleProvider, consoleShape);
  const { clientId, clientAuthentication, scopes, claim, roles, prompt, signedInSince } = given;
  if (Object.keys(roles).length === 0) throw new Error('must name at least one value of the claim in roles');
  return {
    ...clientOf(given),
    clientId,
    clientAuthentication,
    scopes,
    claim,
    roles,
    prompt,
    signedInSince: signedInSince === undefined ? undefined : new Date(signedInSince),
  };
}
