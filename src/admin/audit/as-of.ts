import { listenerStream } from '../../listeners/listener.js';
import { readAsOfPosition, readAsOfTime } from '../../stores/event-store/as-of.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { EventStore, JsonObject } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import type { FindStreams } from './organisation-streams.js';
import { type AuditedCategory, type Facts, foldOf } from './stream-fold.js';

/** An instant, or the position of an event of this store: both inclusive. */
export type Moment = Date | bigint;

export type AsOfQuery = {
  readonly orgId: string;
  /** Only this listener; normalised. */
  readonly hookUrl?: string | undefined;
};

/** A listener at a past moment, with its last event up to that moment. */
export type ListenerThen = JsonObject & {
  readonly stream: string;
  readonly revision: string;
  /** Time at which that event was recorded; ISO 8601. */
  readonly changedAt: string;
};

/**
 * The listeners of an organisation at a moment, active and paused, read from the streams. A time is compared with
 * `recordedAt`: of each stream, the events before the first later one count. Throws `EventUndecodable`, and the errors of the
 * store and of `findStreams`.
 */
export async function registeredAsOf(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, hookUrl }: AsOfQuery,
  at: Moment,
): Promise<readonly ListenerThen[]> {
  const streams = hookUrl === undefined ? await findStreams(orgId, 'listener') : [listenerStream(orgId, hookUrl)];
  const registered: ListenerThen[] = [];
  for (const stream of streams) {
    const then = await listenerThen(store, stream, at);
    if (then?.orgId === orgId) registered.push(then);
  }
  return registered;
}

async function listenerThen(store: EventStore, stream: string, at: Moment): Promise<ListenerThen | undefined> {
  const { facts, revision, changedAt } = await factsAsOf(store, stream, 'listener', at);
  return facts === null ? undefined : { ...facts, stream, revision: revision ?? '', changedAt: changedAt ?? '' };
}

/** The state of one stream at a moment. */
export type FactsThen = {
  readonly stream: string;
  /** Null where nothing existed. */
  readonly facts: Facts;
  /** Revision, time (ISO 8601) and actor of its last event up to the moment; null where there is none. */
  readonly revision: string | null;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
};

/** Folds one stream up to a moment, inclusive. Throws `EventUndecodable`, and the errors of the store. */
export async function factsAsOf(
  store: EventStore,
  stream: string,
  category: AuditedCategory,
  at: Moment,
): Promise<FactsThen> {
  const fold = foldOf(category);
  let last: Pick<FactsThen, 'revision' | 'changedAt' | 'changedBy'> = none;
  const events = typeof at === 'bigint' ? readAsOfPosition(store, stream, at) : readAsOfTime(store, stream, at);
  // Absent where it was never registered, or was erased since it was found.
  for await (const event of readIfExists(events)) {
    const { actor } = fold.step(event).event.metadata;
    last = {
      revision: event.revision.toString(),
      changedAt: recordedAt(event),
      changedBy: typeof actor === 'string' ? actor : null,
    };
  }
  return { stream, facts: fold.facts(), ...last };
}

const none = { revision: null, changedAt: null, changedBy: null };
