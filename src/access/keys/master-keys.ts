import { createHmac } from 'node:crypto';
import { DomainError } from '../../kernel/domain-error.js';

/** An event names a master key that this instance has not been given. */
export class UnknownKeyGeneration extends DomainError {
  readonly code = 'unknown_key_generation';

  constructor(readonly generation: string) {
    super(`no master key of generation ${generation} is configured`);
  }
}

/** The keys that secrets are derived from, so that no secret is ever stored. */
export type MasterKeys = {
  /** The generation that new secrets are derived under. */
  readonly current: string;
  readonly generations: readonly string[];
  /**
   * 32 bytes: HMAC-SHA-256 of the purpose and the parts under the key of that generation. The same input always gives the
   * same secret; different purposes never share one. Throws `UnknownKeyGeneration`.
   */
  readonly derive: (generation: string, purpose: string, ...parts: readonly string[]) => Buffer;
};

/** `keys` by generation, 32 bytes or more each; the first is the current one. */
export function masterKeys(keys: ReadonlyMap<string, Buffer>): MasterKeys {
  const generations = [...keys.keys()];
  const [current] = generations;
  if (current === undefined) throw new RangeError('at least one master key is needed');
  return {
    current,
    generations,
    derive(generation, purpose, ...parts) {
      const key = keys.get(generation);
      if (!key) throw new UnknownKeyGeneration(generation);
      // As JSON the parts cannot run into each other: ['a', 'bc'] and ['ab', 'c'] differ.
      return createHmac('sha256', key)
        .update(JSON.stringify([purpose, ...parts]))
        .digest();
    },
  };
}
