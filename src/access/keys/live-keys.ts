import type { MasterKeys } from './master-keys.js';
import type { SigningKeys } from './signing-keys.js';

/** Keys that can be replaced while they are in use: each use takes the keys of that moment. */
export type Live<Keys> = Keys & { readonly replace: (next: Keys) => void };

export function liveSigningKeys(initial: SigningKeys): Live<SigningKeys> {
  let keys = initial;
  return {
    sign: (claims, type) => keys.sign(claims, type),
    find: (header, token) => keys.find(header, token),
    get algorithms() {
      return keys.algorithms;
    },
    get publicKeys() {
      return keys.publicKeys;
    },
    get thumbprints() {
      return keys.thumbprints;
    },
    get signsFrom() {
      return keys.signsFrom;
    },
    signer: () => keys.signer(),
    replace(next) {
      keys = next;
    },
  };
}

/**
 * Generations that are missing in the next keys stay known until the next start: an earlier refresh token may be presented
 * within its grace period.
 */
export function liveMasterKeys(initial: MasterKeys): Live<MasterKeys> {
  let keys = initial;
  const dropped = new Map<string, MasterKeys>();
  return {
    get current() {
      return keys.current;
    },
    get generations() {
      return [...keys.generations, ...dropped.keys()];
    },
    get derivesFrom() {
      return keys.derivesFrom;
    },
    derive: (generation, purpose, ...parts) => (dropped.get(generation) ?? keys).derive(generation, purpose, ...parts),
    replace(next) {
      for (const generation of keys.generations) dropped.set(generation, dropped.get(generation) ?? keys);
      for (const generation of next.generations) dropped.delete(generation);
      keys = next;
    },
  };
}
