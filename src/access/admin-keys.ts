import { createHash, timingSafeEqual } from 'node:crypto';

/** A role includes those before it: a viewer reads, an operator changes, an owner also erases and manages keys and clients. */
export const adminRoles = ['viewer', 'operator', 'owner'] as const;

export type AdminRole = (typeof adminRoles)[number];

export type AdminKey = { readonly key: string; readonly role: AdminRole };

/** Admin keys by the name of their holder. */
export type AdminKeys = ReadonlyMap<string, AdminKey>;

export const includesRole = (role: AdminRole, needed: AdminRole): boolean =>
  adminRoles.indexOf(role) >= adminRoles.indexOf(needed);

/** The holder of an admin key, with the actor in the history: `admin:ops`. */
export type AdminKeyHolder = { readonly actor: string; readonly role: AdminRole };

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Compares SHA-256 digests in constant time, so that neither the keys nor their lengths leak through timing. */
export function adminKeyLookup(keys: AdminKeys): (presented: string) => AdminKeyHolder | undefined {
  const digests = [...keys].map(([name, { key, role }]) => ({
    holder: { actor: `admin:${name}`, role },
    digest: digest(key),
  }));
  return (presented) => {
    const presentedDigest = digest(presented);
    return digests.find((each) => timingSafeEqual(each.digest, presentedDigest))?.holder;
  };
}
