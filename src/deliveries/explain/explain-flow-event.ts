import pLimit from 'p-limit';
import type { HistoryEntry } from '../../../projections/listener-history.js';
import { type Payload, payloadOf, readFlowEvent } from '../../flows/flow-event.js';
import { publishedEventId } from '../../flows/publish-flow-event.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { timeSlice } from '../../kernel/time-slice.js';
import { normalisedHookUrl } from '../../listeners/hook-url.js';
import { ListenerNotFound } from '../../listeners/listener.js';
import { type HistorySubject, listenerHistoryOf } from '../../listeners/queries/history.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { ReaderPositions } from '../../queue/reader-positions.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../views/read-model.js';
import {
  FlowEventDeleted,
  handOverOf,
  type LocatedFlowEvent,
  locateFlowEvent,
  readLocated,
} from '../queries/locate-flow-event.js';
import { type ExplainedListener, explainListener } from './explain-listener.js';

export type ExplainSources = {
  store: EventStore;
  readModel: ReadModel;
  queue: ReaderPositions & Pick<DeliveryQueue, 'events' | 'deliveries' | 'listenerStates'>;
  /** Resolves once the view `listener-history` holds all listener events of now. Throws `StoreUnavailable`. */
  historyCaughtUp: () => Promise<void>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Milliseconds; default: `performance.now`. */
  monotonicNow?: () => number;
};

export type ExplainRequest = {
  orgId: string;
  /** ID that the producer knows: see `locateFlowEvent`. */
  eventId: string;
  /** Only this listener, or this listener; all that the organisation has or had without them. */
  listenerId?: string;
  hookUrl?: string;
  /** 1 to 1,000 listeners, in the order in which they were registered, those behind `after`. */
  limit: number;
  after?: string;
};

export type Explained = {
  event: LocatedFlowEvent;
  /** The producer's ID; that in the store where the event has been deleted. */
  producerId: string;
  listeners: readonly ExplainedListener[];
  /** The `after` of the next page. */
  next: string | undefined;
};

/** Maximum number of listeners whose history and deliveries are read at the same time. */
const maxConcurrentReads = 16;
const historyPageSize = 1_000;

/**
 * Outcome of a flow event for each listener of an organisation, with the reason. Throws `FlowEventNotFound`,
 * `InvalidRequest`, `ListenerNotFound` for a listener that it never had, and `StoreUnavailable` while a view is built.
 */
export async function explainFlowEvent(sources: ExplainSources, request: ExplainRequest): Promise<Explained> {
  const event = await locateFlowEvent(sources, request.orgId, request.eventId);
  const handOver = await handOverOf(sources.queue, event);
  await sources.historyCaughtUp();
  const page = await pageOf(sources.readModel, request);
  const states = await sources.queue.listenerStates(page.items.map(({ listenerId }) => listenerId));
  const delivered = onceAsked(() => deliveredEvent(sources.store, event));
  const facts = await pLimit(maxConcurrentReads).map(page.items, async ({ listenerId }) => {
    const history = await wholeHistory(sources.readModel, { listenerId });
    const last = history.at(-1);
    if (!last) return []; // its organisation has been erased since
    const deliveries = await deliveriesOf(sources.queue, event, listenerId);
    return [{ listenerId, hookUrl: last.hookUrl, history, deliveries, listener: states.get(listenerId) }];
  });
  const slice = timeSlice(sources.monotonicNow);
  const explainedListeners: ExplainedListener[] = [];
  for (const { listenerId, hookUrl, history, deliveries, listener } of facts.flat()) {
    if (slice.hasEnded()) await slice.next(); // each may have a costly filter
    const matched = { ...event, handOver, delivered: history.some(hasFilter) ? await delivered() : undefined };
    const explained = explainListener({ history, deliveries, event: matched, listener, now: sources.clock() });
    explainedListeners.push({ listenerId, hookUrl, ...explained });
  }
  const producerId = isPublishedAs(event, request.eventId) ? request.eventId : (await delivered())?.id;
  return { event, producerId: producerId ?? event.eventId, listeners: explainedListeners, next: page.next };
}

const isPublishedAs = ({ orgId, eventId }: LocatedFlowEvent, id: string): boolean =>
  eventId === publishedEventId(orgId, id);

const hasFilter = ({ after }: HistoryEntry): boolean => typeof after?.subscription?.filter === 'string';

/** Undefined where it has been deleted. Throws `EventUndecodable` where another release wrote it. */
async function deliveredEvent(store: EventStore, event: LocatedFlowEvent): Promise<Payload | undefined> {
  try {
    return payloadOf(readFlowEvent(await readLocated(store, event)));
  } catch (error) {
    if (error instanceof FlowEventDeleted) return undefined;
    throw error;
  }
}

function onceAsked<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

/** The listeners that are asked for, each by the event that began it, in the order of these events. */
type Listeners = { items: readonly HistoryEntry[]; next: string | undefined };

async function pageOf(readModel: ReadModel, request: ExplainRequest): Promise<Listeners> {
  const { orgId, listenerId, hookUrl, limit, after } = request;
  if (listenerId === undefined && hookUrl === undefined) {
    const { entries, next } = await listenerHistoryOf(readModel, { orgId, type: began }, { after, limit });
    return { items: entries, next };
  }
  const url = hookUrl === undefined ? undefined : normalisedHookUrl(hookUrl);
  const isMeant = (entry: HistoryEntry) =>
    entry.type === began && entry.orgId === orgId && (url === undefined || entry.hookUrl === url);
  const subject = listenerId === undefined ? { orgId, hookUrl: url ?? '' } : { listenerId };
  const all = (await wholeHistory(readModel, subject)).filter(isMeant);
  if (all.length === 0) throw new ListenerNotFound();
  const rest = all.filter(({ position }) => position > (after ?? ''));
  const items = rest.slice(0, limit);
  return { items, next: rest.length > limit ? items.at(-1)?.position : undefined };
}

/** The type of the first event of each listener. */
const began = 'ListenerSubscribed';

/** Entries in chronological order. */
async function wholeHistory(readModel: ReadModel, subject: HistorySubject): Promise<readonly HistoryEntry[]> {
  const found: HistoryEntry[] = [];
  const findPage = async (page: PageRequest<string>) => (await listenerHistoryOf(readModel, subject, page)).entries;
  for await (const page of pages(historyPageSize, findPage, ({ position }) => position)) found.push(...page);
  return found;
}

async function deliveriesOf(queue: ExplainSources['queue'], { orgId, eventId }: LocatedFlowEvent, listenerId: string) {
  const { deliveries } = await queue.deliveries({ orgId, eventId, listenerId });
  return deliveries.map(({ log = [], ...record }) => ({ record, attempts: log }));
}
