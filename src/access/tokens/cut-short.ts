import { LRUCache } from 'lru-cache';

/** The exchanges whose first use of the code this process has answered with a failure of its own. */
export type CutShort = {
  readonly add: (sessionId: string) => void;
  readonly has: (sessionId: string) => boolean;
  readonly delete: (sessionId: string) => void;
};

/** Longer than a code is good for. */
const rememberedMs = 10 * 60_000;
const maxRemembered = 10_000;

/** Bounded: what is forgotten costs its user a new sign-in. */
export function cutShort(now: () => Date): CutShort {
  const until = new LRUCache<string, number>({ max: maxRemembered });
  return {
    add: (sessionId) => void until.set(sessionId, now().getTime() + rememberedMs),
    has: (sessionId) => (until.peek(sessionId) ?? 0) > now().getTime(),
    delete: (sessionId) => void until.delete(sessionId),
  };
}
