import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { HeldLease, Leases } from '../../stores/leases/leases.js';

/** What a step may delete. */
export type RetentionPolicy = {
  /** The streams are those of this category; the lease is named after it. */
  readonly category: string;
  /** No event behind this position is looked at yet. Without it: all may be. */
  readonly upTo?: () => Promise<bigint>;
  /** Says, for this step, whether a stream may go whose last event, an old one, this is. */
  readonly judge: () => Promise<(last: RecordedEvent) => Promise<boolean>>;
  /** Deletes streams which end with these events; where one goes on meanwhile, it stays. */
  readonly erase: (lasts: readonly RecordedEvent[]) => Promise<void>;
};

export type StreamRetention = RetentionPolicy & {
  readonly store: EventStore;
  /** One instance at a time does this. */
  readonly leases: Leases;
  readonly log: Logger;
  /** A stream may go once its last event was recorded so long ago. */
  readonly retentionMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly pace?: Partial<typeof defaultPace>;
};

/** Small steps with rests in between; what had to stay is looked at again after `againMs`. */
const defaultPace = { step: 200, restMs: 250, idleMs: 60_000, againMs: 3_600_000, maxKept: 100_000 };

/**
 * Deletes streams whose last event is old, walking through the events of their category in their order: one that is not the
 * last of its stream says nothing, for a later one will. What may not go yet is remembered and asked for again; where it walks
 * is in memory, so another holder of the lease begins anew, which finds only what is left.
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

/** Each call is a step; false where nothing is left to do for now. */
export function retentionWalk({
  store,
  category,
  retentionMs,
  clock,
  pace,
  ...policy
}: Omit<StreamRetention, 'leases' | 'log'>) {
  const { step, againMs, maxKept } = { ...defaultPace, ...pace };
  /** By their streams: when to look again at what could not go. */
  const kept = new Map<string, number>();
  let reached: bigint | undefined;

  /** The next events that are old enough, in their order. */
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

  /** Of those that could not go before, some whose time has come. */
  async function keptEvents(): Promise<readonly RecordedEvent[]> {
    const due = [...kept].filter(([, at]) => at <= clock()).slice(0, step);
    const before = clock() - retentionMs;
    const lasts: RecordedEvent[] = [];
    for (const [stream] of due) {
      const last = await lastOf(store, stream);
      if (last && Date.parse(recordedAt(last)) < before) lasts.push(last);
      else kept.delete(stream); // one that has gone on is met again by the walk
    }
    return lasts;
  }

  return async (): Promise<boolean> => {
    const events = kept.size < maxKept ? await oldEvents() : [];
    const lasts = [...(await keptEvents())];
    for (const event of events) {
      const last = await lastOf(store, event.stream);
      if (last?.position === event.position) lasts.push(event);
      // Deleted before: by a process that died on the way, or by an earlier release.
      if (!last) await store.finishDeletion(event.stream, event.revision);
    }
    const mayGo = lasts.length > 0 ? await policy.judge() : undefined;
    const going: RecordedEvent[] = [];
    for (const last of lasts) {
      if (await mayGo?.(last)) going.push(last);
      else kept.set(last.stream, clock() + againMs);
    }
    if (going.length > 0) await policy.erase(going);
    for (const { stream } of going) kept.delete(stream);
    reached = events.at(-1)?.position ?? reached; // at the end: what was cut short is done again
    return events.length > 0 || lasts.length > 0;
  };
}

/** Undefined where the stream was deleted before, and the store still shows its events. */
const lastOf = (store: EventStore, stream: string): Promise<RecordedEvent | undefined> =>
  readFirstIfExists(store.readStream(stream, { direction: 'backwards', limit: 1 }));
