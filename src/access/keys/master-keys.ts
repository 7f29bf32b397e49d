import { createHmac } from 'node:crypto';
import { DomainError } from '../../kernel/domain-error.js';

/** An event names a master key that is not configured on this instance. */
export class UnknownKeyGeneration extends DomainError {
  readonly code = 'unknown_key_generation';

  constructor(readonly generation: string) {
    super(`no master key of generation ${generation} is configured`);
  }
}

/** The keys that secrets are derived from, so that no secret is stored. */
export type MasterKeys = {
  /** The generation of the key for new secrets, now: read it once for each secret. */
  readonly current: string;
  readonly generations: readonly string[];
  /** ISO 8601, by generation: the keys with a time from which secrets are derived from them. */
  readonly derivesFrom: Readonly<Record<string, string>>;
  /**
   * Returns 32 bytes: HMAC-SHA-256 of the purpose and the parts with the key of that generation. The same input always
   * returns the same secret; different purposes have different secrets. Throws `UnknownKeyGeneration`.
   */
  readonly derive: (generation: string, purpose: string, ...parts: readonly string[]) => Buffer;
};

export type MasterKeyTimes = {
  /** By generation: when secrets begin to be derived from a key; at once without a time. */
  readonly from?: ReadonlyMap<string, Date>;
  readonly now?: () => Date;
};

/** `keys` by generation, each at least 32 bytes; the first whose time has come is the current one, otherwise the last. */
export function masterKeys(
  keys: ReadonlyMap<string, Buffer>,
  { from = new Map(), now = () => new Date() }: MasterKeyTimes = {},
): MasterKeys {
  const generations = [...keys.keys()];
  const last = generations.at(-1);
  if (last === undefined) throw new RangeError('at least one master key is required');
  return {
    get current() {
      const time = now();
      return generations.find((name) => (from.get(name) ?? time) <= time) ?? last;
    },
    generations,
    derivesFrom: Object.fromEntries([...from].map(([name, date]) => [name, date.toISOString()])),
    derive(generation, purpose, ...parts) {
      const key = keys.get(generation);
      if (!key) throw new UnknownKeyGeneration(generation);
      // JSON separates the parts: ['a', 'bc'] and ['ab', 'c'] differ.
      return createHmac('sha256', key)
        .update(JSON.stringify([purpose, ...parts]))
        .digest();
    },
  };
}
