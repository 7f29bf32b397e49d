import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Maximum number of tokens in memory: less than a kilobyte each. */
const maxTokens = 10_000;

/** Claims of tokens whose signatures have been verified, by the SHA-256 of the token. */
export type VerifiedTokens<Claims extends object> = {
  readonly get: (token: string) => Claims | undefined;
  readonly set: (token: string, claims: Claims) => void;
};

/**
 * Tokens that were verified with the keys in use: most tokens are presented many times, and verifying a signature takes longer than
 * the rest of a request. Everything that changes with time has to be checked each time. `keysInUse` returns another
 * object once the keys have changed, which forgets all tokens.
 */
export function verifiedTokens<Claims extends object>(keysInUse: () => object): VerifiedTokens<Claims> {
  const known = new LRUCache<string, Claims>({ max: maxTokens });
  let keys = keysInUse();

  function current(): LRUCache<string, Claims> {
    const now = keysInUse();
    if (now !== keys) known.clear();
    keys = now;
    return known;
  }

  return {
    get: (token) => current().get(digestOf(token)),
    set: (token, claims) => void current().set(digestOf(token), claims),
  };
}

const digestOf = (token: string): string => hash('sha256', token, 'base64url');
