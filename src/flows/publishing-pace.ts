import { setTimeout as pause } from 'node:timers/promises';
import { bucketOf } from '../stores/event-store/bucket.js';

const measureIntervalMs = 20;
const maxLoad = 0.95;
/** Some 50 ms of work, so that the dispatcher never waits for publishers. `ofOrganisation`: those with fewer did not cause it alone. */
const maxBacklog = { all: 500, ofOrganisation: 50 };
const waitMs = 10;
const maxWaitMs = 100;

/** Relative to publishing a batch's events one by one: throttles without long gaps. */
const shareOfBatch = 0.1;

/** Called with the organisation of each event. */
export type PublishingPace = (organisations: readonly string[]) => Promise<void>;

export type DispatcherLoad = {
  /** Busy share of the time since the previous call, 0 to 1. */
  load: () => number;
  /** Deliveries enqueued less attempted, by bucket of the organisation; only changes count. Undefined if other instances attempt deliveries too. */
  backlog: (() => ArrayLike<number>) | undefined;
};

/**
 * Throttles while the dispatcher thread is always busy and its backlog grows, if known: the organisations that have a part in it, or all if many have. Deliveries
 * that wait for slow listeners do not count. `now`: monotonic milliseconds.
 */
export function publishingPace(
  { load, backlog }: DispatcherLoad,
  { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): PublishingPace {
  let measuredAt = now();
  let isBusy = false;
  /** Deliveries that wait for listeners, not for the dispatcher, by bucket: of the last measurement that was not busy, or fewer. */
  let waiting = Array.from(backlog?.() ?? []);

  function measure(): void {
    if (now() - measuredAt < measureIntervalMs) return;
    measuredAt = now();
    isBusy = load() > maxLoad;
    if (!isBusy) waiting = Array.from(backlog?.() ?? []);
  }

  /** Called for each event: it does not copy the counters. */
  function isOverloadedBy(organisations: ReadonlySet<string>): boolean {
    measure();
    if (!isBusy || !backlog) return isBusy;
    const counts = backlog();
    const grownIn = (bucket: number) => (counts[bucket] ?? 0) - (waiting[bucket] ?? 0);
    let grown = 0;
    let ofMany = 0;
    for (let bucket = 0; bucket < counts.length; bucket += 1) {
      waiting[bucket] = Math.min(counts[bucket] ?? 0, waiting[bucket] ?? 0);
      const ofBucket = grownIn(bucket);
      grown += ofBucket;
      ofMany += Math.min(ofBucket, maxBacklog.ofOrganisation);
    }
    if (ofMany > maxBacklog.all) return true;
    const isPartOfIt = (orgId: string) => grownIn(bucketOf(orgId) % counts.length) > maxBacklog.ofOrganisation;
    return grown > maxBacklog.all && [...organisations].some(isPartOfIt);
  }

  return async (organisations) => {
    const until = now() + maxWaitMs * Math.max(1, organisations.length * shareOfBatch);
    const distinct = new Set(organisations);
    while (isOverloadedBy(distinct) && now() < until) await wait(waitMs);
  };
}
