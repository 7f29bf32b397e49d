/** The exchanges whose first use of the code this process has answered with a failure of its own. */
export type InterruptedExchanges = {
  readonly add: (sessionId: string) => void;
  readonly has: (sessionId: string) => boolean;
  readonly delete: (sessionId: string) => void;
};

/** Longer than a code is good for. */
const rememberedMs = 10 * 60_000;
const maxRemembered = 10_000;

/** Bounded: what is forgotten costs its user a new sign-in. */
export function interruptedExchanges(now: () => Date): InterruptedExchanges {
  const until = new Map<string, number>();
  return {
    add(sessionId) {
      until.delete(sessionId); // so that it becomes the youngest
      until.set(sessionId, now().getTime() + rememberedMs);
      const [oldest] = until.keys();
      if (until.size > maxRemembered && oldest !== undefined) until.delete(oldest);
    },
    has: (sessionId) => (until.get(sessionId) ?? 0) > now().getTime(),
    delete: (sessionId) => void until.delete(sessionId),
  };
}
