import { StoreUnavailable } from '../../kernel/store-errors.js';

type Waiter = { position: bigint; resolve: () => void; reject: (reason: unknown) => void };

/** Callers that wait until a view has reached a position. `ended`: the message for callers after `end`. */
export function waiters(ended: string) {
  const waiting = new Set<Waiter>();
  let reached: bigint | undefined;
  let failure: StoreUnavailable | undefined;
  return {
    /** Works as that of `Follower`. */
    async passed(position: bigint, signal?: AbortSignal): Promise<void> {
      if (reached !== undefined && position <= reached) return;
      if (failure) throw failure;
      signal?.throwIfAborted();
      let leave = (): void => {};
      await new Promise<void>((resolve, reject) => {
        const waiter = { position, resolve, reject };
        const abort = () => reject(signal?.reason);
        waiting.add(waiter);
        signal?.addEventListener('abort', abort);
        leave = () => {
          waiting.delete(waiter);
          signal?.removeEventListener('abort', abort);
        };
      }).finally(() => leave());
    },
    /** Undefined: there is no view any more. */
    reach(position: bigint | undefined): void {
      reached = position;
      if (position === undefined) return;
      for (const waiter of waiting) if (waiter.position <= position) waiter.resolve();
    },
    any: () => waiting.size > 0,
    end(): void {
      failure = new StoreUnavailable(ended);
      for (const { reject } of waiting) reject(failure);
    },
  };
}
