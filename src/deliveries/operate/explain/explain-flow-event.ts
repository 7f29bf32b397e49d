import type { HistoryEntry } from '../../../../projections/registration-history.js';
import { normalisedHookUrl } from '../../../registrations/listeners/hook-url.js';
import { ListenerNotFound } from '../../../registrations/listeners/listener.js';
import { type HistorySubject, registrationHistoryOf } from '../../../registrations/listeners/queries/history.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import type { ReadModel } from '../../../stores/read-model/read-model.js';
import { fanOutBeginningReader, fanOutReader } from '../../fan-out/fan-out-beginning.js';
import type { DeliveryRecord } from '../../queue/delivery-log.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { forgottenReader } from '../../queue/leasing.js';
import { type LocatedFlowEvent, locateFlowEvent } from '../locate-flow-event.js';
import { type ExplainedHook, explainHook, type HandOver } from './explain-hook.js';

export type ExplainSources = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly queue: Pick<DeliveryQueue, 'knownEvent' | 'list' | 'attempts' | 'hookStates' | 'checkpoint'>;
  /** Resolves once the view `registration-history` holds all listener events of now. Throws `StoreUnavailable`. */
  readonly historyCaughtUp: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

export type ExplainRequest = {
  readonly orgId: string;
  /** As its producer knows it: see `locateFlowEvent`. */
  readonly eventId: string;
  /** Only this registration, or this hook; all that the organisation has or had without them. */
  readonly listenerId?: string | undefined;
  readonly hookUrl?: string | undefined;
  /** 1 to 1,000 hooks, in the order of their listener IDs, those behind `after`. */
  readonly limit: number;
  readonly after?: string | undefined;
};

export type Explained = {
  readonly event: LocatedFlowEvent;
  readonly hooks: readonly ExplainedHook[];
  /** The `after` of the next page. */
  readonly next: string | undefined;
};

/**
 * What each hook of an organisation got of a flow event, and why. Throws `FlowEventNotFound`, `InvalidRequest`,
 * `ListenerNotFound` where it never had the hook that is named, and `StoreUnavailable` where a view is not there yet.
 */
export async function explainFlowEvent(sources: ExplainSources, request: ExplainRequest): Promise<Explained> {
  const { limit, after = '' } = request;
  const event = await locateFlowEvent(sources, request.orgId, request.eventId);
  const handOver = await handOverOf(sources.queue, event);
  const histories = await historiesOf(sources, request);
  if (histories.size === 0 && (request.listenerId ?? request.hookUrl) !== undefined) throw new ListenerNotFound();
  const wanted = [...histories]
    .filter(([listenerId]) => listenerId > after)
    .sort(([one], [other]) => order(one, other));
  const page = wanted.slice(0, limit);
  const states = await sources.queue.hookStates(page.map(([listenerId]) => listenerId));
  const hooks: ExplainedHook[] = [];
  for (const [listenerId, history] of page) {
    const deliveries = await deliveriesOf(sources.queue, event, listenerId);
    const explained = explainHook({
      history,
      deliveries,
      event: { ...event, handOver },
      hook: states.get(listenerId),
      now: sources.clock(),
    });
    hooks.push({ listenerId, hookUrl: history.at(-1)?.hookUrl ?? '', ...explained });
  }
  return { event, hooks, next: wanted.length > limit ? page.at(-1)?.[0] : undefined };
}

const order = (one: string, other: string): number => (one < other ? -1 : 1);

async function handOverOf(
  queue: ExplainSources['queue'],
  { position, handedOver }: LocatedFlowEvent,
): Promise<HandOver> {
  const reached = await queue.checkpoint(fanOutReader);
  if (reached === undefined || reached < position) return 'not-yet';
  if (handedOver) return 'done';
  const beginning = await queue.checkpoint(fanOutBeginningReader);
  if (beginning !== undefined && position <= beginning) return 'never';
  const forgotten = (await queue.checkpoint(forgottenReader)) ?? -1n;
  return position <= forgotten ? 'done' : 'not-yet';
}

/** By listener ID, each in order. */
async function historiesOf(
  { readModel, historyCaughtUp }: ExplainSources,
  { orgId, listenerId, hookUrl }: ExplainRequest,
): Promise<ReadonlyMap<string, readonly HistoryEntry[]>> {
  await historyCaughtUp();
  const url = hookUrl === undefined ? undefined : normalisedHookUrl(hookUrl);
  const subject: HistorySubject =
    listenerId !== undefined ? { listenerId } : url !== undefined ? { orgId, hookUrl: url } : { orgId };
  const isMeant = (entry: HistoryEntry) => entry.orgId === orgId && (url === undefined || entry.hookUrl === url);
  const histories = new Map<string, HistoryEntry[]>();
  for (let after: string | undefined; ; ) {
    const page = await registrationHistoryOf(readModel, subject, { after, limit: 1_000 });
    for (const entry of page.entries.filter(isMeant)) {
      const history = histories.get(entry.listenerId) ?? [];
      history.push(entry);
      histories.set(entry.listenerId, history);
    }
    if (page.next === undefined) return histories;
    after = page.next;
  }
}

async function deliveriesOf(queue: ExplainSources['queue'], { orgId, eventId }: LocatedFlowEvent, listenerId: string) {
  const records: readonly DeliveryRecord[] = await queue.list({ orgId, eventId, listenerId });
  return Promise.all(records.map(async (record) => ({ record, attempts: await queue.attempts(orgId, record.id) })));
}
