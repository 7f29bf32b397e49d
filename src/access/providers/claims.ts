import { z } from 'zod';
import { opaqueId } from '../../kernel/input/texts.js';
import { AccountRefused, AuthorizationRefused } from '../errors.js';
import type { UserSettings } from './provider-settings.js';

const organisation = z.object({ id: z.string(), name: z.string() });
export const identifiedUser = z.object({
  userId: z.string(),
  /** Name or e-mail address, for display. */
  displayName: z.string(),
  organisations: z.array(organisation),
});

export type Organisation = z.output<typeof organisation>;
export type IdentifiedUser = z.output<typeof identifiedUser>;

export type Claims = Readonly<Record<string, unknown>>;

/**
 * OpenID Connect Core §5.7: an unverified address may be another user's. Only the boolean `true` counts (§5.1): a text
 * may come from an attribute that the user can change.
 */
export const hasVerifiedEmail = ({ email_verified: verified }: Claims): boolean => verified === true;

const maxNameLength = 100;

/** `alias`: also the key of a map. */
type Named = {
  id?: string;
  alias?: string;
  name?: string;
};

const one = z.union([
  opaqueId.transform((alias): Named => ({ alias })),
  z.object({ id: opaqueId, name: z.string().optional() }).transform((named): Named => named),
]);
/** Keycloak's form: alias to properties. */
const byAlias = z
  .record(opaqueId, z.looseObject({ id: opaqueId.optional() }))
  .transform((map) => Object.entries(map).map(([alias, { id }]): Named => ({ alias, id })));
const organisationsClaim = z.union([one.transform((each) => [each]), z.array(one), byAlias]);

/** The claim of this name, since names may be URLs; else the value at this path, such as `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, part);
    return isObject ? (value as Claims)[part] : undefined; // it is an object
  }, claims);
}

/**
 * Throws `AuthorizationRefused` if a claim is missing or invalid, and `AccountRefused` if the user has no organisation,
 * or an unverified address as ID.
 */
export function userOf(claims: Claims, settings: UserSettings): IdentifiedUser {
  const { userClaim } = settings;
  const user = opaqueId.safeParse(claimAt(claims, userClaim));
  if (!user.success) throw unusable(userClaim, 'no user ID');
  const names = [claims.name, claims.preferred_username, claims.email].filter((name) => typeof name === 'string');
  const displayName = shortened(names.find((name) => name.trim() !== '') ?? user.data);
  if (userClaim === 'email' && !hasVerifiedEmail(claims)) {
    if (claims.email_verified === false) {
      throw new AccountRefused('the e-mail address of the account is not verified', { displayName });
    }
    throw unusable(userClaim, 'an address that is not verified');
  }
  const organisations = organisationsOf(claims, settings);
  if (organisations.length === 0) {
    const detail = 'the claims of the ID token name no organisation';
    throw new AccountRefused('the account belongs to no organisation', { displayName, detail });
  }
  return { userId: user.data, displayName, organisations };
}

function organisationsOf(claims: Claims, settings: UserSettings): Organisation[] {
  const { organisation, organisationsClaim: claim = '' } = settings;
  if (organisation !== undefined) return [{ id: organisation, name: organisation }];
  const given = claimAt(claims, claim);
  const parsed = organisationsClaim.safeParse(given ?? []);
  if (!parsed.success) throw unusable(claim, 'neither an organisation nor a list of organisations');
  const byId = new Map(
    parsed.data.map((named) => organisationOf(named, claim, settings)).map((each) => [each.id, each]),
  );
  return [...byId.values()];
}

/** Chooses the alias unless the settings choose the ID; then a text alone names no organisation. */
function organisationOf({ id, alias, name }: Named, claim: string, { organisationId }: UserSettings) {
  const chosen = organisationId === 'id' ? id : (alias ?? id);
  if (chosen === undefined) throw unusable(claim, 'an organisation without an ID');
  return { id: chosen, name: shortened(name ?? alias ?? chosen) };
}

const shortened = (name: string): string => [...name].slice(0, maxNameLength).join('');

const unusable = (claim: string, what: string) =>
  new AuthorizationRefused(
    'server_error',
    'the identity provider does not say which user of which organisation signed in',
    `the claim ${claim} of the ID token has ${what}`,
  );
