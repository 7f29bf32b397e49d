import type { Logger } from 'pino';
import type { AccessSettings } from '../../access/access.js';
import { type AdminRole, adminRoles } from '../../access/admin-keys.js';
import { AuthorizationRefused } from '../../access/errors.js';
import { isInLocalNetwork, issuerFetch } from '../../access/issuer-fetch.js';
import { warnOfExposedFiles } from '../../access/keys/key-files.js';
import { type Claims, claimAt, hasVerifiedEmail } from '../../access/providers/claims.js';
import { maxSignInsOf, openProvider, type Provider, type RequestSlots } from '../../access/providers/provider.js';
import { clientSecretOf, type ProviderClient } from '../../access/providers/provider-settings.js';
import { opaqueId } from '../../kernel/input/texts.js';

/** The identity provider with which operators sign in. */
export type ConsoleProviderSettings = ProviderClient & {
  /** The claim of the ID token with a user's groups, or its path: a text, or a list of texts. */
  claim: string;
  /** The role of each of these groups; users of no such group are refused. */
  roles: Readonly<Record<string, AdminRole>>;
};

/** An operator, with the actor in the history: `console:ada@example.com`. */
export type Operator = { actor: string; role: AdminRole };

/**
 * Reads the provider's metadata in the background. Throws `UnusableKeys` if the client secret's file cannot be used.
 */
export async function openConsoleProvider(
  settings: ConsoleProviderSettings,
  { mode, egress, http, log }: Pick<AccessSettings, 'mode' | 'egress'> & { http: RequestSlots; log: Logger },
): Promise<Provider<Operator>> {
  const { clientSecret } = settings;
  if ('file' in clientSecret) await warnOfExposedFiles([clientSecret.file], log);
  const provider = openProvider(settings, await clientSecretOf('CONSOLE_OPENID', settings), {
    fetch: issuerFetch({ plainHttpTo: mode === 'development' ? () => true : isInLocalNetwork, egress }),
    log,
    maxSignIns: maxSignInsOf(http, 1),
    userOf: (claims) => operatorOf(claims, settings),
  });
  void provider.check();
  return provider;
}

/** Named by the verified e-mail address, else by `sub`. Throws `AuthorizationRefused` without a role. */
export function operatorOf(
  claims: Claims,
  { claim, roles }: Pick<ConsoleProviderSettings, 'claim' | 'roles'>,
): Operator {
  const email = hasVerifiedEmail(claims) ? claims.email : undefined;
  const name = [email, claims.sub].map((each) => opaqueId.safeParse(each)).find(({ success }) => success)?.data;
  if (name === undefined) {
    throw new AuthorizationRefused('server_error', 'the identity provider does not say who signed in');
  }
  const groups = [claimAt(claims, claim) ?? []].flat().filter((group) => typeof group === 'string');
  const held = groups.flatMap((group) => (Object.hasOwn(roles, group) ? [roles[group]] : []));
  const role = adminRoles.findLast((each) => held.includes(each));
  if (role === undefined) {
    const detail = `the claim ${claim} of the ID token of ${name} names no group with a role`;
    throw new AuthorizationRefused('access_denied', 'this account has no role in the console', detail);
  }
  return { actor: `console:${name}`, role };
}
