import type { Follower } from '../follower.js';

/** One follower for its callers, while the followers behind it replace each other. */
export type FollowerHandover = Follower & {
  /** Starts the next follower, then stops the one before. Waiting callers continue to wait. */
  readonly handOver: (next: () => Follower) => Promise<void>;
};

export function followerHandover(first: Follower): FollowerHandover {
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
