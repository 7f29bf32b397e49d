import { listenerStream } from '../../registrations/listeners/listener.js';
import { readAsOfPosition, readAsOfTime } from '../../stores/event-store/as-of.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { EventStore, JsonObject } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { foldOf } from './audited.js';
import type { FindStreams } from './organisation-streams.js';

/** An instant, or the position of an event of this store: both inclusive. */
export type Moment = Date | bigint;

export type AsOfQuery = {
  readonly orgId: string;
  /** Only this hook; normalised. */
  readonly hookUrl?: string | undefined;
};

/** A registration as it was, and the last event of it by then. */
export type RegistrationThen = JsonObject & {
  readonly stream: string;
  readonly revision: string;
  /** ISO 8601: when that event was recorded. */
  readonly changedAt: string;
};

/**
 * What an organisation had registered at a moment, be it active or paused, from the streams themselves. A time is
 * `recordedAt`: of each stream, the events before the first later one count. Throws `EventUndecodable`, and what the store and
 * `findStreams` throw.
 */
export async function registeredAsOf(
  store: EventStore,
  findStreams: FindStreams,
  { orgId, hookUrl }: AsOfQuery,
  at: Moment,
): Promise<readonly RegistrationThen[]> {
  const streams = hookUrl === undefined ? await findStreams(orgId, 'listener') : [listenerStream(orgId, hookUrl)];
  const registered: RegistrationThen[] = [];
  for (const stream of streams) {
    const then = await registrationThen(store, stream, at);
    if (then?.orgId === orgId) registered.push(then);
  }
  return registered;
}

async function registrationThen(store: EventStore, stream: string, at: Moment): Promise<RegistrationThen | undefined> {
  const fold = foldOf('listener');
  const last = { revision: '', changedAt: '' };
  const events = typeof at === 'bigint' ? readAsOfPosition(store, stream, at) : readAsOfTime(store, stream, at);
  // Absent where it was never registered, or was erased since it was found.
  for await (const event of readIfExists(events)) {
    fold.step(event);
    Object.assign(last, { revision: event.revision.toString(), changedAt: recordedAt(event) });
  }
  const facts = fold.facts();
  return facts === null ? undefined : { ...facts, stream, ...last };
}
