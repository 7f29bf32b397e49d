import type { Follower } from '../follower.js';

/** One follower to those outside, while those who do its work take turns. */
export type Relay = Follower & {
  /** Begins the next turn, then ends the one before. Those who wait go on waiting. */
  readonly handOver: (next: () => Follower) => Promise<void>;
};

export function relay(first: Follower): Relay {
  let current = first;
  return {
    status: () => current.status(),
    async passed(position, signal) {
      for (;;) {
        const turn = current;
        try {
          return await turn.passed(position, signal);
        } catch (error) {
          if (turn === current || signal?.aborted) throw error;
        }
      }
    },
    async handOver(next) {
      const before = current;
      current = next();
      await before.stop();
    },
    stop: () => current.stop(),
  };
}
