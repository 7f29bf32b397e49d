import { type ListenerEvent, listenerCodec } from '../../events/listener-events.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { StreamReader } from '../../stores/event-store/event-store.js';
import { lastEventAsOf } from '../../stores/event-store/read-at.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { isRegistered, type Listener, listenerDecider, listenerStream } from '../listener.js';
import type { FindListener } from './find-listener.js';
import { listenerFacts } from './listener-summary.js';

/**
 * A listener at an instant. `state` `none`: not registered before it; `ended`: unsubscribed before it, with `details`
 * null. `details` may have the ID of an earlier listener at the URL. `change`: the last one before the instant;
 * `previousAt`, `nextAt`: times of the changes around it.
 */
export type ListenerAsOf = {
  at: string;
  state: 'none' | 'active' | 'paused' | 'ended';
  details: ReturnType<typeof listenerFacts> | null;
  change: { type: string; at: string; revision: string } | null;
  previousAt: string | null;
  nextAt: string | null;
};

type Sources = { store: StreamReader; findListener: FindListener };

/**
 * The listener at this hook URL at an instant, read from its stream with a few dozen reads, whatever its
 * length. Throws `ListenerNotFound` if no listener ever had this ID, and `EventUndecodable`.
 */
export async function listenerAsOf(
  { store, findListener }: Sources,
  listenerId: string,
  at: Date,
): Promise<ListenerAsOf> {
  const { orgId, hookUrl } = await findListener(listenerId);
  const stream = listenerStream(orgId, hookUrl);
  const last = await lastEventAsOf(store, stream, at);
  const [previous, next] = await Promise.all([
    last && Date.parse(recordedAt(last)) === at.getTime()
      ? lastEventAsOf(store, stream, new Date(at.getTime() - 1))
      : last,
    readFirstIfExists(store.readStream(stream, { limit: 1, from: last && last.revision + 1n })),
  ]);
  const event = last && listenerCodec.decode(last);
  return {
    at: at.toISOString(),
    ...shownState(event && { ...event, revision: last.revision }),
    change: last ? { type: last.type, at: recordedAt(last), revision: last.revision.toString() } : null,
    previousAt: previous ? recordedAt(previous) : null,
    nextAt: next ? recordedAt(next) : null,
  };
}

function shownState(
  event: (ListenerEvent & { revision: bigint }) | undefined,
): Pick<ListenerAsOf, 'state' | 'details'> {
  const { initialState, evolve } = listenerDecider;
  const listener: Listener = event ? evolve(initialState(), event) : initialState();
  if (isRegistered(listener)) return { state: listener.state, details: listenerFacts(listener.details) };
  return { state: listener.state === 'none' ? 'none' : 'ended', details: null };
}
