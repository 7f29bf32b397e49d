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
  /** The generation of the key for new secrets. */
  readonly current: string;
  readonly generations: readonly string[];
  /**
   * Returns 32 bytes: HMAC-SHA-256 of the purpose and the parts with the key of that generation. The same input always
   * returns the same secret; different purposes have different secrets. Throws `UnknownKeyGeneration`.
   */
  readonly derive: (generation: string, purpose: string, ...parts: readonly string[]) => Buffer;
};

/** `keys` by generation, each at least 32 bytes; the first is the current one. */
export function masterKeys(keys: ReadonlyMap<string, Buffer>): MasterKeys {
  const generations = [...keys.keys()];
  const [current] = generations;
  if (current === undefined) throw new RangeError('at least one master key is required');
  return {
    current,
    generations,
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
