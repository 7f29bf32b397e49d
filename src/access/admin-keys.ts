import { hasHash, hashOfSecret } from './secret-hash.js';

/** A role includes those before it: a viewer reads, an operator changes, an owner also erases and manages keys and clients. */
export const adminRoles = ['viewer', 'operator', 'owner'] as const;

export type AdminRole = (typeof adminRoles)[number];

export type AdminKey = { key: string; role: AdminRole };

/** Admin keys by the name of their holder. */
export type AdminKeys = ReadonlyMap<string, AdminKey>;

export const includesRole = (role: AdminRole, needed: AdminRole): boolean =>
  adminRoles.indexOf(role) >= adminRoles.indexOf(needed);

/** The holder of an admin key, with the actor in the history: `admin:ops`. */
export type AdminKeyHolder = { actor: string; role: AdminRole };

export function adminKeyLookup(keys: AdminKeys): (presented: string) => AdminKeyHolder | undefined {
  const hashes = [...keys].map(([name, { key, role }]) => ({
    holder: { actor: `admin:${name}`, role },
    hash: hashOfSecret(key),
  }));
  return (presented) => hashes.find(({ hash }) => hasHash(presented, hash))?.holder;
}
