import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';

/** A gate that was seen open may be relied on for this time. Where other instances run, unsubscribing waits as long. */
export const permitMs = 250;

/**
 * The gates that this process knows to be closed; the durable gates are the queue's. A permit to post is the moment at
 * which a gate was seen open, and is checked in the tick in which the request is written to the socket.
 */
export type WorkerGates = {
  /** Moment to be read *before* the queue is asked. */
  moment: () => number;
  permits: (listenerId: string, seenAt: number) => boolean;
  /** Closes the gate: from this call on no post to the listener starts on an earlier reading. */
  close: (listenerId: string) => void;
};

export function workerGates(now: () => number = () => performance.now()): WorkerGates {
  // In the order of closing; an entry is of no use after `permitMs`.
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

/** Resolves with a fresh moment, undefined where the gate is closed. Rejects with the queue's error. */
type RenewPermit = (listenerId: string) => Promise<number | undefined>;

/** Permit of one attempt. `renew` resolves with false where the post must not start any more, and rejects with the queue's error. */
export type Permit = { isValid: () => boolean; renew: () => Promise<boolean> };

type Waiting = { resolve: (permit: number | undefined) => void; reject: (error: unknown) => void };

/**
 * Renews expired permits with one read of the durable gates at a time for all waiting attempts, so that a slow queue is
 * not read more often.
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

/** Closes a gate here and in the queue. Resolves with the number of cancelled deliveries. */
export function unsubscribeBarrier(
  gates: WorkerGates,
  queue: Pick<DeliveryQueue, 'withdraw'>,
  otherInstances: boolean,
): { close: (listenerId: string) => Promise<number> } {
  return {
    async close(listenerId) {
      gates.close(listenerId);
      const cancelled = await queue.withdraw({ listenerId });
      gates.close(listenerId); // again: a permit taken meanwhile may have seen it open
      if (otherInstances) await permitsExpired();
      return cancelled;
    },
  };
}

/** A timer counts from the start of the event loop's turn, so it may end too early. */
async function permitsExpired(): Promise<void> {
  const since = performance.now();
  for (let left = permitMs; left >= 0; left = permitMs - (performance.now() - since)) await pause(left);
}
