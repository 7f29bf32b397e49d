import type { Logger } from 'pino';
import { watchFailures } from '../../kernel/failures.js';
import { repeatUntilAborted } from '../../kernel/unless-aborted.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readLast } from '../../stores/event-store/read-if-exists.js';
import type { HeldLease, Leases } from '../../stores/leases/leases.js';

export type RetentionPolicy = {
  /** Also names the lease. */
  category: string;
  /** Maximum position of considered events; undefined: none. */
  upTo?: () => Promise<bigint>;
  /** Prepares a step; the result decides by a stream's last event. */
  prepareCheck: () => Promise<(last: RecordedEvent) => Promise<boolean>>;
  /** Keeps a stream that gets another event meanwhile. */
  erase: (lasts: readonly RecordedEvent[]) => Promise<void>;
};

type RetentionWalk = RetentionPolicy & {
  store: EventStore;
  retentionMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  pace?: Partial<typeof defaultPace>;
};

type StreamRetention = RetentionWalk & { leases: Leases; log: Logger };

/**
 * `step`: events at a time, few so that other users are not delayed. `idleMs`: when nothing is old enough. `recheckMs`:
 * for a stream that must be kept; `maxKept` of them are in memory.
 */
const defaultPace = { step: 200, restMs: 250, idleMs: 60_000, recheckMs: 3_600_000, maxKept: 100_000 };

/**
 * Deletes streams whose last event is old. The position is in memory only: the next holder of the lease begins at the
 * start, and finds the streams that are left.
 */
export function startStreamRetention(options: StreamRetention): Pick<HeldLease, 'stop'> {
  const { category, leases, log, pace } = options;
  const { restMs, idleMs } = { ...defaultPace, ...pace };
  return leases.hold(`retention-${category}`, async ({ signal }) => {
    const walk = retentionWalk(options);
    const failures = watchFailures(log, `deleting old ${category} streams`);
    const step = async () => {
      const hasFound = await walk();
      failures.recovered();
      return hasFound ? restMs : idleMs;
    };
    await repeatUntilAborted(signal, step, failures.record);
  });
}

/** Each call is one step; false if nothing was old enough. */
export function retentionWalk({ store, category, retentionMs, clock, pace, ...policy }: RetentionWalk) {
  const { step, recheckMs, maxKept } = { ...defaultPace, ...pace };
  /** Time of the next check, by stream. */
  const kept = new Map<string, number>();
  let reached: bigint | undefined;

  async function oldEvents(): Promise<readonly RecordedEvent[]> {
    const upTo = await policy.upTo?.();
    const before = clock() - retentionMs;
    const events: RecordedEvent[] = [];
    const range = { filter: { categories: [category] }, limit: step, from: reached };
    for await (const event of store.readAll(range)) {
      if (Date.parse(recordedAt(event)) >= before || (upTo !== undefined && event.position > upTo)) break;
      events.push(event);
    }
    return events;
  }

  /** Last events of kept streams whose check is due. */
  async function keptEvents(): Promise<readonly RecordedEvent[]> {
    const due = [...kept].filter(([, at]) => at <= clock()).slice(0, step);
    const before = clock() - retentionMs;
    const lasts: RecordedEvent[] = [];
    for (const [stream] of due) {
      const last = await readLast(store, stream);
      if (last && Date.parse(recordedAt(last)) < before) lasts.push(last);
      else kept.delete(stream); // its new events are read later
    }
    return lasts;
  }

  return async (): Promise<boolean> => {
    const events = kept.size < maxKept ? await oldEvents() : [];
    const lasts = [...(await keptEvents())];
    for (const event of events) {
      const last = await readLast(store, event.stream);
      if (last?.position === event.position) lasts.push(event);
      // Still in reads of all events: a crash interrupted the deletion.
      if (!last) await store.finishDeletion(event.stream, event.revision);
    }
    const mayDelete = lasts.length > 0 ? await policy.prepareCheck() : undefined;
    const deletable: RecordedEvent[] = [];
    for (const last of lasts) {
      if (await mayDelete?.(last)) deletable.push(last);
      else kept.set(last.stream, clock() + recheckMs);
    }
    if (deletable.length > 0) await policy.erase(deletable);
    for (const { stream } of deletable) kept.delete(stream);
    reached = events.at(-1)?.position ?? reached; // last, so that an interrupted step is repeated
    return events.length > 0 || lasts.length > 0;
  };
}
