import { organisationNamedBy } from '../../deliveries/fan-out/partitions.js';
import type { OutcomeRecorder } from '../../kernel/failures.js';
import { repeatUntilAborted } from '../../kernel/unless-aborted.js';
import type { EventBatch, EventStore } from '../../stores/event-store/event-store.js';

/** Waits for flow events of one organisation. */
type Watch = {
  /** Forgets arrivals: the caller reads all events from now on. */
  reset: () => void;
  /** Resolves at an arrival since the last reset, after the time, or once the signal aborts. */
  arrival: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
  /** Position, at least the given one, up to which the organisation has no event after the given one; the store has returned it. */
  noneUpTo: (position: bigint) => bigint;
  close: () => void;
};

export type Arrivals = {
  /** Resolves once each later event is noticed. Rejects with the store's errors. */
  watch: (orgId: string) => Promise<Watch>;
};

type Watching = { before: bigint | undefined; wake: () => void };

/** Time without watches after which the subscription ends: the next request often follows at once. */
const lingerMs = 10_000;

/**
 * Notices flow events of any instance, by one subscription to the store for all watches. A subscription that fails is repeated from
 * where it was.
 */
export function flowEventArrivals(
  store: Pick<EventStore, 'subscribe' | 'head'>,
  { failures, stopping }: { failures: OutcomeRecorder; stopping: AbortSignal },
): Arrivals {
  const watching = new Map<string, Set<Watching>>();
  let following: { begun: Promise<void>; stopped: AbortController } | undefined;
  let lingering: NodeJS.Timeout | undefined;
  /** All events up to here have been noticed. */
  let reached = -1n;

  function notice({ events, position }: EventBatch): void {
    for (const event of events) {
      for (const each of watching.get(organisationNamedBy(event) ?? '') ?? []) {
        each.before ??= reached;
        each.wake();
      }
    }
    if (position > reached) reached = position;
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for await (const batch of store.subscribe({ from: reached, filter: { categories: ['flow'] }, signal })) {
      failures.recovered();
      notice(batch);
    }
  }

  function begin() {
    const stopped = new AbortController();
    const { signal } = stopped;
    stopping.addEventListener('abort', () => stopped.abort(), { signal });
    const begun = (async () => {
      reached = await store.head();
      void repeatUntilAborted(signal, () => follow(signal), failures.record);
    })();
    begun.catch(() => end());
    return { begun, stopped };
  }

  function end(): void {
    following?.stopped.abort();
    following = undefined;
  }

  function remove(orgId: string, one: Watching): void {
    const ofOrganisation = watching.get(orgId);
    ofOrganisation?.delete(one);
    if (ofOrganisation?.size === 0) watching.delete(orgId);
    if (watching.size > 0) return;
    clearTimeout(lingering);
    lingering = setTimeout(end, lingerMs).unref();
  }

  return {
    async watch(orgId) {
      clearTimeout(lingering);
      const one: Watching = { before: undefined, wake: () => undefined };
      watching.set(orgId, (watching.get(orgId) ?? new Set()).add(one));
      following ??= begin();
      try {
        await following.begun;
      } catch (error) {
        remove(orgId, one);
        throw error;
      }
      return {
        reset() {
          one.before = undefined;
        },
        arrival: (timeoutMs, signal) =>
          new Promise((resolve) => {
            if (one.before !== undefined || signal.aborted) return resolve();
            const timer = setTimeout(done, timeoutMs);
            function done(): void {
              clearTimeout(timer);
              signal.removeEventListener('abort', done);
              one.wake = () => undefined;
              resolve();
            }
            one.wake = done;
            signal.addEventListener('abort', done);
          }),
        noneUpTo(position) {
          const upTo = one.before ?? reached;
          return upTo > position ? upTo : position;
        },
        close: () => remove(orgId, one),
      };
    },
  };
}
