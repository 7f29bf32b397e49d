/** How long a gate that was seen open may be relied on, in milliseconds. Where other instances run, unsubscribing waits this long. */
export const permitMs = 250;

/**
 * What this process knows of the listeners' gates, on the monotonic clock. The durable gates are the queue's; a permit to
 * post is the knowledge that one was open at a moment that is not long ago, and is asked for in the tick in which the
 * request goes to the socket.
 */
export type WorkerGates = {
  /** The moment to remember *before* the queue is asked: what it answers held at that moment or later. */
  readonly moment: () => number;
  /** Whether a post may start now, where the gate was seen open at `seenAt`. */
  readonly permits: (listenerId: string, seenAt: number) => boolean;
  /** From this very call on no post to the listener starts in this process on what was seen before. */
  readonly close: (listenerId: string) => void;
};

/** `now` is a monotonic clock in milliseconds. */
export function workerGates(now: () => number = () => performance.now()): WorkerGates {
  // In the order of closing. What was seen before a gate closed is of no use after `permitMs`, and neither is its entry.
  const closedAt = new Map<string, number>();

  function forgetOld(moment: number): void {
    for (const [listenerId, closed] of closedAt) {
      if (moment - closed <= permitMs) return;
      closedAt.delete(listenerId);
    }
  }

  return {
    moment: now,
    permits(listenerId, seenAt) {
      const closed = closedAt.get(listenerId);
      return now() - seenAt <= permitMs && (closed === undefined || seenAt > closed);
    },
    close(listenerId) {
      const moment = now();
      forgetOld(moment);
      closedAt.delete(listenerId);
      closedAt.set(listenerId, moment);
    },
  };
}
