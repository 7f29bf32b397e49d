import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

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

/** Resolves with a fresh permit, undefined where the gate is closed. Rejects with the queue's error. */
type RenewPermit = (listenerId: string) => Promise<number | undefined>;

export type Permits = Pick<WorkerGates, 'permits'> & { readonly renew: RenewPermit };

type Waiting = { readonly resolve: (permit: number | undefined) => void; readonly reject: (error: unknown) => void };

/**
 * Renews permits that have run out by looking at the durable gates: for all that wait together, and one look at a time, so
 * that a queue that has become slow is not asked more often for it.
 */
export function permitRenewal(
  queue: Pick<DeliveryQueue, 'closedGates'>,
  gates: Pick<WorkerGates, 'moment'>,
): RenewPermit {
  let waiting = new Map<string, Waiting[]>();
  let looking = false;

  async function look(): Promise<void> {
    looking = true;
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      const permit = gates.moment();
      try {
        const closed = await queue.closedGates([...asked.keys()]);
        for (const [listenerId, all] of asked) {
          for (const { resolve } of all) resolve(closed.has(listenerId) ? undefined : permit);
        }
      } catch (error) {
        for (const { reject } of [...asked.values()].flat()) reject(error);
      }
    }
    looking = false;
  }

  return (listenerId) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(listenerId) ?? [];
      waiting.set(listenerId, [...others, { resolve, reject }]);
      if (!looking) void look();
    });
}

/** Closes the gate of a listener here and in the queue: see `UnsubscribeBarrier`. Resolves with the number of cancelled deliveries. */
export function unsubscribeBarrier(
  gates: WorkerGates,
  queue: Pick<DeliveryQueue, 'closeGate'>,
  otherInstances: boolean,
): { readonly close: (listenerId: string) => Promise<number> } {
  return {
    async close(listenerId) {
      gates.close(listenerId);
      const cancelled = await queue.closeGate(listenerId);
      gates.close(listenerId); // again: a permit taken meanwhile may have seen it open
      if (otherInstances) await permitsExpired();
      return cancelled;
    },
  };
}

/** Measured with the clock of the permits: a timer counts from the start of the event loop's turn, so it may end too early. */
async function permitsExpired(): Promise<void> {
  const since = performance.now();
  for (let left = permitMs; left >= 0; left = permitMs - (performance.now() - since)) await pause(left);
}
