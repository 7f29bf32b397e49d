import type { Logger } from 'pino';
import { AuthorizationRefused } from '../../access/errors.js';
import { isInLocalNetwork, issuerFetch } from '../../access/issuer-fetch.js';
import { warnOfExposedFiles } from '../../access/keys/key-files.js';
import { type Claims, claimAt, hasVerifiedEmail } from '../../access/providers/claims.js';
import type { OperatorProvider, OperatorSignIn } from '../../access/providers/operator-sign-in.js';
import { maxSignInsOf, openProvider, type Provider, type RequestSlots } from '../../access/providers/provider.js';
import { clientSecretOf } from '../../access/providers/provider-settings.js';
import type { EgressProxy } from '../../kernel/egress/settings.js';
import { opaqueId } from '../../kernel/input/texts.js';
import type { Mode } from '../../kernel/settings/setting.js';
import type { ConsoleProviderSettings } from '../settings.js';

type ProviderDependencies = { mode: Mode; egress: EgressProxy | undefined; http: RequestSlots; log: Logger };

/**
 * Reads the provider's metadata in the background. Throws `UnusableKeys` if the client secret's file cannot be used.
 */
export async function openConsoleProvider(
  settings: ConsoleProviderSettings,
  { mode, egress, http, log }: ProviderDependencies,
): Promise<Provider<OperatorSignIn>> {
  const { clientSecretFile: file } = settings;
  if (file !== undefined) await warnOfExposedFiles([file], log);
  const provider = openProvider(settings, await clientSecretOf('CONSOLE_OPENID', settings), {
    fetch: issuerFetch({ plainHttpTo: mode === 'development' ? () => true : isInLocalNetwork, egress }),
    log,
    maxSignIns: maxSignInsOf(http, 1),
    userOf: (claims) => operatorOf(claims, settings, Date.now()),
  });
  void provider.check();
  return provider;
}

/** Named by the verified e-mail address, else by `sub`. Throws `AuthorizationRefused` without a role. */
export function operatorOf(
  claims: Claims,
  settings: OperatorProvider & { claim: string },
  signedInMs: number,
): OperatorSignIn {
  const email = hasVerifiedEmail(claims) ? claims.email : undefined;
  const name = [email, claims.sub].map((each) => opaqueId.safeParse(each)).find(({ success }) => success)?.data;
  if (name === undefined) {
    throw new AuthorizationRefused('server_error', 'the identity provider does not say who signed in');
  }
  const { claim, roles, issuer } = settings;
  const groups = [claimAt(claims, claim) ?? []]
    .flat()
    .filter((group): group is string => typeof group === 'string' && Object.hasOwn(roles, group));
  if (groups.length === 0) {
    const detail = `the claim ${claim} of the ID token of ${name} names no group with a role`;
    throw new AuthorizationRefused('access_denied', 'this account has no role in the console', detail);
  }
  return { actor: `console:${name}`, issuer, groups, signedInMs };
}
