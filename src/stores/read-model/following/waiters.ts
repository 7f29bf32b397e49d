type Waiter = { position: bigint; resolve: () => void; reject: (reason: unknown) => void };

/** Callers that wait until a position has been reached. */
export function waiters() {
  const waiting = new Set<Waiter>();
  return {
    /** Rejects with the signal's reason, or on `end`. */
    wait: (position: bigint, signal?: AbortSignal): Promise<void> =>
      new Promise((onReached, onGivenUp) => {
        signal?.throwIfAborted();
        const leave = () => {
          waiting.delete(waiter);
          signal?.removeEventListener('abort', abort);
        };
        const waiter: Waiter = {
          position,
          resolve: () => {
            leave();
            onReached();
          },
          reject: (reason) => {
            leave();
            onGivenUp(reason);
          },
        };
        const abort = () => waiter.reject(signal?.reason);
        waiting.add(waiter);
        signal?.addEventListener('abort', abort);
      }),
    reached(position: bigint): void {
      for (const waiter of waiting) if (waiter.position <= position) waiter.resolve();
    },
    any: () => waiting.size > 0,
    end(reason: Error): void {
      for (const waiter of waiting) waiter.reject(reason);
    },
  };
}
