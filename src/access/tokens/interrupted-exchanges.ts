import { LRUCache } from 'lru-cache';

/** Sessions whose code exchange failed in this process for a reason of the service, so that the code may be used again. */
export type InterruptedExchanges = {
  readonly add: (sessionId: string) => void;
  readonly has: (sessionId: string) => boolean;
  readonly delete: (sessionId: string) => void;
};

/** The maximum lifetime of a code, with the clock tolerance at both ends: afterwards the code is refused anyway. */
const retentionMs = 12 * 60_000;
/** Maximum number of sessions, to bound memory. */
const maxSessions = 10_000;

/** Bounded: when the limit is exceeded, the oldest entry is dropped and its user has to sign in again. */
export function interruptedExchanges(now: () => Date): InterruptedExchanges {
  const until = new LRUCache<string, number>({ max: maxSessions });
  return {
    add: (sessionId) => void until.set(sessionId, now().getTime() + retentionMs),
    has: (sessionId) => (until.peek(sessionId) ?? 0) > now().getTime(),
    delete: (sessionId) => void until.delete(sessionId),
  };
}
