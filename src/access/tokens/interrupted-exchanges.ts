/** Sessions whose code exchange failed in this process for a reason of the service, so that the code may be used again. */
export type InterruptedExchanges = {
  readonly add: (sessionId: string) => void;
  readonly has: (sessionId: string) => boolean;
  readonly delete: (sessionId: string) => void;
};

/** The maximum lifetime of a code: afterwards the code is refused anyway. */
const retentionMs = 10 * 60_000;
/** Maximum number of sessions, to bound memory. */
const maxSessions = 10_000;

/** Bounded: when the limit is exceeded, the oldest entry is dropped and its user has to sign in again. */
export function interruptedExchanges(now: () => Date): InterruptedExchanges {
  const until = new Map<string, number>();
  return {
    add(sessionId) {
      until.delete(sessionId); // moves it to the end: maps keep insertion order
      until.set(sessionId, now().getTime() + retentionMs);
      const [oldest] = until.keys();
      if (until.size > maxSessions && oldest !== undefined) until.delete(oldest);
    },
    has: (sessionId) => (until.get(sessionId) ?? 0) > now().getTime(),
    delete: (sessionId) => void until.delete(sessionId),
  };
}
