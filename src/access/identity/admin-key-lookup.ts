import { createHash, timingSafeEqual } from 'node:crypto';
import type { AdminKeys, AdminRole } from '../admin-keys.js';

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
