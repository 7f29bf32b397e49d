import { fanOutBeginningReader } from '../../deliveries/fan-out/fan-out-beginning.js';
import { fanOutPassed, handedOverUpTo } from '../../deliveries/fan-out/partitions.js';
import { streamOrganisations } from '../../deliveries/fan-out/stream-organisations.js';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import { selectsEvent } from '../../flows/types/subscription-types.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventFinder, KnownEvent } from '../../queue/delivery-log.js';
import { forgottenReader, positionOf, type ReaderPositions } from '../../queue/leasing.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readStandingEventAt, stillStands } from '../../stores/event-store/read-at.js';

/** `from`, `to`: times of recording, inclusive. */
export type Selection = {
  orgId: string;
  from: string | null;
  to: string | null;
  type: string | null;
};

/** `event` is undefined if not selected or not decodable. */
export type LookedAt = {
  position: bigint;
  recorded?: RecordedEvent;
  event?: FlowEvent;
};

type FlowHistory = {
  store: EventStore;
  queue: ReaderPositions & EventFinder;
};

const pageSize = 500;
/** Longer than the fan-out takes to move a checkpoint past events of other organisations. */
const fanOutTimeoutMs = 3_000;
/** Maximum by which recorded times may go back along positions; an event with more is found only without a period. */
const skewMs = 2 * 3_600_000;

/**
 * Events in order: from the queue those that the fan-out processed, earlier ones from the store. Throws
 * `StoreUnavailable` while the fan-out has not reached `upTo`.
 */
export async function* pastFlowEvents(
  history: FlowHistory,
  selection: Selection,
  { after, upTo }: { after: bigint; upTo: bigint },
): AsyncGenerator<LookedAt> {
  const knownAfter = await knownSince(history, selection, upTo);
  const latest = selection.to === null ? Number.POSITIVE_INFINITY : Date.parse(selection.to) + skewMs;
  for await (const seen of eventsOf(history, selection, { after, upTo, knownAfter })) {
    if (seen.recorded && Date.parse(recordedAt(seen.recorded)) > latest) return;
    yield seen;
  }
}

async function* eventsOf(
  history: FlowHistory,
  selection: Selection,
  { after, upTo, knownAfter }: { after: bigint; upTo: bigint; knownAfter: bigint },
): AsyncGenerator<LookedAt> {
  if (after < knownAfter) yield* readFromStore(history, selection, { after, upTo: smaller(knownAfter, upTo) });
  if (knownAfter < upTo) yield* readFromQueue(history, selection, { after: greater(after, knownAfter), upTo });
}

async function* readFromStore(
  { store }: FlowHistory,
  selection: Selection,
  { after, upTo }: { after: bigint; upTo: bigint },
): AsyncGenerator<LookedAt> {
  const requireOwnStream = streamOrganisations(store);
  for await (const recorded of store.readAll({ from: after, filter: { categories: ['flow'] } })) {
    const { position } = recorded;
    if (position > upTo) return;
    const event = decoded(recorded);
    if (event?.orgId !== selection.orgId) continue;
    if (!(await isOfItsStream(requireOwnStream(event, recorded))) || !(await stillStands(store, recorded))) continue;
    yield { position, recorded, event: isSelected(selection, event, recorded) ? event : undefined };
  }
}

async function* readFromQueue(
  { store, queue }: FlowHistory,
  selection: Selection,
  { after, upTo }: { after: bigint; upTo: bigint },
): AsyncGenerator<LookedAt> {
  const { orgId } = selection;
  const find = (page: PageRequest<bigint>) => queue.events({ orgId, after, upTo, ...page });
  for await (const known of pages(pageSize, find, ({ position }) => position)) {
    for (const one of known) {
      const { position } = one;
      const recorded = isOfType(selection, one) ? await recordedOf(store, one) : undefined;
      const event = recorded && decoded(recorded);
      const isSent = recorded && event && isSelected(selection, event, recorded);
      yield { position, recorded, event: isSent ? event : undefined };
    }
  }
}

/** Position before the period; -1n: none. */
export async function beginningOf(history: FlowHistory, selection: Selection, upTo: bigint): Promise<bigint> {
  const { from } = selection;
  if (from === null) return -1n;
  return positionBefore(history, { ...selection, from }, { since: await knownSince(history, selection, upTo), upTo });
}

/** Position of an event that was recorded before a time, by binary search among those that the queue knows; -1n: none. */
export async function positionBefore(
  history: FlowHistory,
  { orgId, from }: { orgId: string; from: string },
  { since, upTo }: { since: bigint; upTo: bigint },
): Promise<bigint> {
  const earliest = Date.parse(from) - skewMs;
  let low = since;
  let high = upTo;
  let beginning = -1n;
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const [known] = await history.queue.events({ orgId, after: middle, upTo: high, limit: 1 });
    const recorded = known && (await recordedOf(history.store, known));
    if (recorded && Date.parse(recordedAt(recorded)) < earliest) {
      beginning = recorded.position;
      low = recorded.position;
    } else {
      high = middle;
    }
  }
  return beginning;
}

/** Undefined if a restored store assigned the position again. */
export async function recordedOf(
  store: EventStore,
  { position, eventId }: KnownEvent,
): Promise<RecordedEvent | undefined> {
  const recorded = await readStandingEventAt(store, position);
  return recorded?.id === eventId ? recorded : undefined;
}

/** First position from which the queue knows every flow event up to `upTo`; `upTo` itself if the fan-out's beginning is not recorded. */
async function knownSince({ queue }: FlowHistory, { orgId }: Selection, upTo: bigint): Promise<bigint> {
  const beginning = await positionOf(queue, fanOutBeginningReader);
  if (beginning === undefined || (await handedOverUpTo(queue, orgId)) === undefined) return upTo;
  if (!(await fanOutPassed(queue, { orgId, position: upTo }, fanOutTimeoutMs)))
    throw new StoreUnavailable(`the fan-out has not reached position ${upTo}`);
  return greater(beginning, (await positionOf(queue, forgottenReader)) ?? -1n);
}

const isSelected = (selection: Selection, event: FlowEvent, recorded: RecordedEvent): boolean =>
  isOfType(selection, event) && isWithin(selection, Date.parse(recordedAt(recorded)));

export const isOfType = (
  { type }: Pick<Selection, 'type'>,
  event: Pick<FlowEvent, 'type' | 'isOperational'>,
): boolean => type === null || selectsEvent(type, event);

const isWithin = ({ from, to }: Selection, at: number): boolean =>
  (from === null || at >= Date.parse(from)) && (to === null || at <= Date.parse(to));

/** Undefined if not decodable: it was set aside. */
export function decoded(recorded: RecordedEvent): FlowEvent | undefined {
  try {
    return readFlowEvent(recorded);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

export async function isOfItsStream(required: Promise<void>): Promise<boolean> {
  try {
    await required;
    return true;
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return false;
  }
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
