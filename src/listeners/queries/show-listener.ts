import { type ListenerPeriod, listenersView } from '../../../projections/listeners.js';
import { listenerCodec } from '../../events/listener-events.js';
import { pages } from '../../kernel/pages.js';
import type { DeliveryFinder } from '../../queue/delivery-log.js';
import type { ListenerLog } from '../../queue/listener-log.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import type { LogReader, RecordedEvent, StreamReader } from '../../stores/event-store/event-store.js';
import { readEventAt } from '../../stores/event-store/read-at.js';
import { readFirstIfExists, readLast } from '../../stores/event-store/read-if-exists.js';
import { open } from '../../views/projection.js';
import type { DocumentFinder, FoundDocument } from '../../views/read-model.js';
import { isRegistered, type Listener, ListenerNotFound, listenerDecider, listenerStream } from '../listener.js';
import type { FindListener } from './find-listener.js';
import { type ListenerHealthSummary, listenerHealthSummary } from './listener-health.js';
import { listenerFacts } from './listener-summary.js';

/** A listener, current or ended, for operators; times in ISO 8601. */
type ListenerFacts = ReturnType<typeof listenerFacts> & {
  state: 'active' | 'paused' | 'ended';
  /** Paused by an `operator`, or since it was `failing`; null unless it is paused. */
  pausedBy: 'operator' | 'failing' | null;
  /** Start of its current period; of an ended listener, its end. */
  since: string;
  /** `requested` by the platform, `gone` (it answered 410), by an `operator`; null if it has not ended. */
  endReason: string | null;
  /** ID of the later listener at the same hook URL, if there is one. */
  replacedBy: string | null;
};

export type ListenerDetail = ListenerFacts & {
  /** First subscribed at this time, in any period. */
  firstRegisteredAt: string;
  health: ListenerHealthSummary;
  /** Number of held deliveries, counted up to 1,000. */
  held: number;
  /** Number of waiting deliveries. */
  waiting: number;
};

type ListenerStores = { store: StreamReader & LogReader; readModel: DocumentFinder };

export type ShowListener = ListenerStores & {
  findListener: FindListener;
  queue: ListenerLog & DeliveryFinder;
};

/** Maximum number of held deliveries that are counted, which bounds the response time. */
const maxHeldCounted = 1_000;

/**
 * A listener with its health, current changes included. Throws `ListenerNotFound` if no listener ever had this ID,
 * `EventUndecodable`, and the stores' errors.
 */
export async function showListener(sources: ShowListener, listenerId: string): Promise<ListenerDetail> {
  const { store, findListener, queue } = sources;
  const { orgId, hookUrl } = await findListener(listenerId);
  const stream = listenerStream(orgId, hookUrl);
  const [first, last, states, held] = await Promise.all([
    readFirstIfExists(store.readStream(stream, { limit: 1 })),
    readLast(store, stream),
    queue.listenerStates([listenerId]),
    queue.deliveries({ orgId, listenerId, states: ['held'], limit: maxHeldCounted }),
  ]);
  const [backlog] = await queue.listeners({ listenerId, limit: 1 }); // after the list, which has the latest deliveries written
  if (!first || !last) throw new ListenerNotFound(listenerId); // its organisation was erased in the meantime
  return {
    ...(await listenerShown(sources, stream, last, listenerId)),
    firstRegisteredAt: recordedAt(first),
    health: listenerHealthSummary(states.get(listenerId)),
    held: held.deliveries.length,
    waiting: backlog?.waiting ?? 0,
  };
}

async function listenerShown(
  { store, readModel }: ListenerStores,
  stream: string,
  last: RecordedEvent,
  listenerId: string,
): Promise<ListenerFacts> {
  const listener = listenerAfter(last);
  const latestId = listener.state === 'none' ? undefined : listener.details.listenerId;
  if (listener.state === 'none' || latestId !== listenerId) {
    return { ...(await endedListener({ store, readModel }, listenerId)), replacedBy: latestId ?? null };
  }
  const facts = { ...listenerFacts(listener.details), replacedBy: null };
  if (!isRegistered(listener)) {
    const { reason } = last.data as { reason: string }; // it was decoded as the end of a listener
    return { ...facts, state: 'ended', pausedBy: null, since: recordedAt(last), endReason: reason };
  }
  const began = await beginning(store, stream, last, listener.since);
  const { reason } = began.data as { reason?: 'operator' | 'failing' }; // only a pause has one
  const pausedBy = listener.state === 'paused' ? (reason ?? 'operator') : null; // version 1 had no reason
  return { ...facts, state: listener.state, pausedBy, since: recordedAt(began), endReason: null };
}

function listenerAfter(event: RecordedEvent): Listener {
  const { initialState, evolve } = listenerDecider;
  return evolve(initialState(), { ...listenerCodec.decode(event), revision: event.revision });
}

async function beginning(store: StreamReader, stream: string, last: RecordedEvent, since: bigint) {
  if (last.revision === since) return last;
  return (await readFirstIfExists(store.readStream(stream, { from: since, limit: 1 }))) ?? last; // erased in the meantime
}

const periodsAtOnce = 1_000;

/** A listener that a later listener at the same hook URL has replaced: from the view, and the event that ended it. */
async function endedListener({ store, readModel }: ListenerStores, listenerId: string) {
  let last: ListenerPeriod | undefined;
  const find = (page: { limit: number; after?: string }) =>
    readModel.find(listenersView, { where: { listenerId }, ...page });
  for await (const page of pages(periodsAtOnce, find, ({ key }: FoundDocument) => key)) {
    for (const { document } of page) {
      const period = document as ListenerPeriod; // the projection wrote it
      if (last === undefined || period.from > last.from) last = period;
    }
  }
  if (!last) throw new ListenerNotFound(listenerId);
  // Open if the view has not handled the end yet.
  const end = last.until === open ? undefined : await readEventAt(store, BigInt(last.until));
  const reason = (end?.data as { reason?: string } | undefined)?.reason ?? null;
  const since = end ? recordedAt(end) : last.since;
  return { ...listenerFacts(last), state: 'ended' as const, pausedBy: null, since, endReason: reason };
}
