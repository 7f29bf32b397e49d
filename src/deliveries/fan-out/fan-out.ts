import { searchableTypes } from '../../flows/types/search-terms.js';
import { watchFailures } from '../../kernel/failures.js';
import { abortedByAny, sleepUnlessAborted, untilAborted } from '../../kernel/unless-aborted.js';
import { bucketsOf } from '../../queue/policy/partition.js';
import { categoryOf, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { fanOutBeginning } from './fan-out-beginning.js';
import { type FanOutPass, fanOutPass } from './fan-out-pass.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { fanOutShares } from './pace.js';
import { type PartitionLease, PartitionsDiffer, requirePartitions } from './partitions.js';
import { streamOrganisations } from './stream-organisations.js';

export type FanOutStatus = {
  /** Position of the partition that is furthest behind, among those that this instance holds. */
  position: bigint | undefined;
  /** Number of partitions that this instance holds. */
  partitions: number;
  organisationsWaiting: number;
  error: unknown;
};

export type FanOut = {
  /** Fans the partition out from its checkpoint on. The queue ignores checkpoints of an earlier term. */
  hold: (partition: number, lease: PartitionLease) => void;
  /** Resolves once nothing of it is handled any more. */
  release: (partition: number) => Promise<void>;
  stop: () => Promise<void>;
  status: () => FanOutStatus;
};

const eventTypes = 'eventType';
const categories = ['flow', 'listener', 'replay', eventTypes];
const isOfEventType = ({ stream }: RecordedEvent): boolean => categoryOf(stream) === eventTypes;

/** Events that arrive during this pause share a batch, which costs less for each of them. */
const many = { events: 8, gatherMs: 3 };
const lookForNumberMs = 1_000;
/** Partitions that come during this pause begin together. */
const gatherPartitionsMs = 50;

/**
 * Turns flow events, in their order, into deliveries to the listeners of their positions, in the partitions that it is
 * given: with one subscription, from the lowest of their checkpoints on, which is opened again when one comes or goes.
 * After a failure it tries again and skips no event; an event that cannot be decoded, or belongs to no organisation, is
 * set aside.
 */
export function startFanOut(settings: FanOutSettings): FanOut {
  const { store, queue, log, count } = settings;
  const failures = watchFailures(log, 'fan-out');
  const requireOwnStream = streamOrganisations(store);
  const searchable = searchableTypes(store);
  let isStopped = false;
  const shareOf = fanOutShares(settings.monotonicNow);
  const leases = new Map<number, PartitionLease>();
  let changing = new AbortController();
  let current: FanOutPass | undefined;
  let following: Promise<void> = Promise.resolve();

  async function follow(signal: AbortSignal): Promise<void> {
    const held = new Map(leases);
    const positions = await fanOutBeginning({ ...settings, leases: held, signal });
    const failing = new AbortController();
    const onFailure = (error: unknown) => failing.abort(error);
    const ending = abortedByAny(signal, failing.signal);
    const viewAt = await settings.view.position();
    const rules = { requireOwnStream, searchableOf: searchable.pathsOf, shareOf };
    const pass = fanOutPass(settings, { ...rules, leases: held, positions, viewAt, signal: ending, onFailure });
    current = pass;
    searchable.forget();
    try {
      await pass.begin();
      const buckets = held.size < count ? bucketsOf(new Set(held.keys()), count) : undefined;
      const range = { from: pass.from, filter: { categories, buckets }, signal: ending };
      for await (const batch of store.subscribe(range)) {
        for (const event of batch.events) if (isOfEventType(event)) searchable.changed(event);
        const events = batch.events.filter((event) => !isOfEventType(event)); // those of organisations
        const hasEnqueued = await pass.handle({ ...batch, events });
        failures.recovered();
        if (hasEnqueued && batch.events.length >= many.events) await sleepUnlessAborted(many.gatherMs, ending);
      }
      failing.signal.throwIfAborted();
      await pass.keep();
    } finally {
      failing.abort();
      await pass.ended();
    }
  }

  /** Another instance may have begun with another number, and hold all partitions that this one knows. */
  async function withoutPartitions(signal: AbortSignal): Promise<void> {
    while (!(await requirePartitions(queue, count)) && (await sleepUnlessAborted(lookForNumberMs, signal)));
    await untilAborted(signal);
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      const { signal } = changing;
      try {
        if (leases.size === 0) await withoutPartitions(signal);
        else if (leases.size === count || (await sleepUnlessAborted(gatherPartitionsMs, signal))) {
          following = follow(signal);
          await following;
        }
      } catch (error) {
        if (signal.aborted) continue; // what a partition that is gone has not kept is handled again
        if (error instanceof PartitionsDiffer) throw error; // by its thread, which ends the process: another instance began first
        await sleepUnlessAborted(failures.record(error), signal);
      }
    }
  }

  function change(): void {
    changing.abort();
    changing = new AbortController();
  }

  const running = run();
  return {
    hold(partition, lease) {
      leases.set(partition, lease);
      change();
    },
    async release(partition) {
      leases.delete(partition);
      change();
      await following.catch(() => undefined); // `run` handles it
    },
    stop() {
      isStopped = true;
      changing.abort();
      return running;
    },
    status: () => ({
      position: leases.size === 0 ? undefined : current?.position(),
      partitions: leases.size,
      organisationsWaiting: current?.organisationsWaiting() ?? 0,
      error: failures.current(),
    }),
  };
}
