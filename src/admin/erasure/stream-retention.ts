import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { HeldLease, Leases } from '../../stores/leases/leases.js';

/** Decides which streams of a category may be deleted, and deletes them. */
export type RetentionPolicy = {
  /** The category of the streams; the lease is named after it. */
  readonly category: string;
  /** The position up to which events may be considered. Without it: all. */
  readonly upTo?: () => Promise<bigint>;
  /** Prepares a step; returns a function that decides, by a stream's last event, whether the stream may be deleted. */
  readonly prepareCheck: () => Promise<(last: RecordedEvent) => Promise<boolean>>;
  /** Deletes the streams that end with these events; a stream that gets another event meanwhile is kept. */
  readonly erase: (lasts: readonly RecordedEvent[]) => Promise<void>;
};

type StreamRetention = RetentionPolicy & {
  readonly store: EventStore;
  /** One instance at a time deletes streams. */
  readonly leases: Leases;
  readonly log: Logger;
  /** Minimum age of a stream's last event. */
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly pace?: Partial<typeof defaultPace>;
};

/**
 * `step`: maximum number of events in a step, small so that other users of the store are not delayed. `restMs`: pause between
 * steps. `idleMs`: pause when nothing is old enough. `recheckMs`: time after which a stream that could not be deleted is
 * checked again. `maxKept`: maximum number of such streams in memory.
 */
const defaultPace = { step: 200, restMs: 250, idleMs: 60_000, recheckMs: 3_600_000, maxKept: 100_000 };

/**
 * Deletes streams whose last event is old. Reads the events of the category in order and considers a stream at its last
 * event. A stream that may not be deleted yet is remembered and checked again. The position is kept in memory: another holder
 * of the lease starts from the beginning and finds only the streams that are left.
 */
export function startStreamRetention(options: StreamRetention): Pick<HeldLease, 'stop'> {
  const { category, leases, log, pace } = options;
  const { restMs, idleMs } = { ...defaultPace, ...pace };
  return leases.hold(`retention-${category}`, async ({ signal }) => {
    const walk = retentionWalk(options);
    const trouble = watchTrouble(log, `deleting old ${category} streams`);
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        pauseMs = (await walk()) ? restMs : idleMs;
        trouble.over();
      } catch (error) {
        pauseMs = trouble.met(error);
      }
      await sleepUnlessAborted(pauseMs, signal);
    }
  });
}

/** Returns a function that performs one step; it returns false where nothing was old enough. */
export function retentionWalk({
  store,
  category,
  retentionMs,
  clock,
  pace,
  ...policy
}: Omit<StreamRetention, 'leases' | 'log'>) {
  const { step, recheckMs, maxKept } = { ...defaultPace, ...pace };
  /** By stream: when to check again a stream that could not be deleted. */
  const kept = new Map<string, number>();
  let reached: bigint | undefined;

  /** The next events that are old enough, in order. */
  async function oldEvents(): Promise<readonly RecordedEvent[]> {
    const upTo = await policy.upTo?.();
    const before = clock() - retentionMs;
    const events: RecordedEvent[] = [];
    const range = { filter: { categories: [category] }, limit: step, ...(reached !== undefined && { from: reached }) };
    for await (const event of store.readAll(range)) {
      if (Date.parse(recordedAt(event)) >= before || (upTo !== undefined && event.position > upTo)) break;
      events.push(event);
    }
    return events;
  }

  /** The last events of remembered streams whose check is due, at most `step` of them. */
  async function keptEvents(): Promise<readonly RecordedEvent[]> {
    const due = [...kept].filter(([, at]) => at <= clock()).slice(0, step);
    const before = clock() - retentionMs;
    const lasts: RecordedEvent[] = [];
    for (const [stream] of due) {
      const last = await lastOf(store, stream);
      if (last && Date.parse(recordedAt(last)) < before) lasts.push(last);
      else kept.delete(stream); // its new events are read later
    }
    return lasts;
  }

  return async (): Promise<boolean> => {
    const events = kept.size < maxKept ? await oldEvents() : [];
    const lasts = [...(await keptEvents())];
    for (const event of events) {
      const last = await lastOf(store, event.stream);
      if (last?.position === event.position) lasts.push(event);
      // Deleted by a process that died before it finished.
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

/** Undefined where the stream was deleted before, and the store still shows its events. */
const lastOf = (store: EventStore, stream: string): Promise<RecordedEvent | undefined> =>
  readFirstIfExists(store.readStream(stream, { direction: 'backwards', limit: 1 }));
