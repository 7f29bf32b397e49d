import { z } from 'zod';
import { Unauthenticated } from '../../http/errors.js';
import { type AdminKeyHolder, type AdminRole, adminRoles } from '../admin-keys.js';
import { type SealingKeys, sealedValues } from './sealed-values.js';

/** The identity provider with which operators sign in, as far as it decides on what they may do. */
export type OperatorProvider = {
  issuer: string;
  /** The role of each of these groups; users of no such group are refused. */
  roles: Readonly<Record<string, AdminRole>>;
  /** Earlier sign-ins have expired. Undefined: none has. */
  signedInSince?: Date | undefined;
};

export const operatorSignIn = z.object({
  /** Name in the history: `console:ada@example.com`. */
  actor: z.string(),
  issuer: z.string(),
  /** Groups with a role, when the operator signed in. */
  groups: z.array(z.string()),
  /** Milliseconds since 1970. */
  signedInMs: z.number(),
});

/** An operator who signed in with a provider. */
export type OperatorSignIn = z.output<typeof operatorSignIn>;

/** Role by the current settings; undefined: none. Of several groups the highest role counts. */
export function roleOfSignIn(
  { issuer, groups, signedInMs }: Omit<OperatorSignIn, 'actor'>,
  provider: OperatorProvider | undefined,
): AdminRole | undefined {
  if (issuer !== provider?.issuer || signedInMs < (provider.signedInSince?.getTime() ?? 0)) return undefined;
  const held = groups.flatMap((group) => (Object.hasOwn(provider.roles, group) ? [provider.roles[group]] : []));
  return adminRoles.findLast((role) => held.includes(role));
}

const prefix = 'fho_';
/** A working day: the provider is not asked again meanwhile. */
export const operatorTokenMs = 8 * 3_600_000;

/** Tokens with which operators who sign in with a provider use the admin API: sealed, so every instance reads them. */
export function operatorTokens(keys: SealingKeys, provider: OperatorProvider | undefined) {
  const sealed = sealedValues(keys, {
    purpose: 'operator-token',
    schema: operatorSignIn,
    lifetimeMs: operatorTokenMs,
  });
  return {
    issue: async (signedIn: OperatorSignIn): Promise<string> => `${prefix}${await sealed.seal(signedIn)}`,

    /** Undefined if it is no such token. Throws `Unauthenticated` if the token or its sign-in has expired. */
    async verify(token: string): Promise<AdminKeyHolder | undefined> {
      if (!token.startsWith(prefix)) return undefined;
      const signedIn = await sealed.open(token.slice(prefix.length));
      const role = signedIn && roleOfSignIn(signedIn, provider);
      if (!role) throw new Unauthenticated('this token of an operator has expired, or is no longer valid');
      return { actor: signedIn.actor, role };
    },
  };
}

export type OperatorTokens = ReturnType<typeof operatorTokens>;
