import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { locateFlowEvent, readLocated } from '../../deliveries/queries/locate-flow-event.js';
import type { ReplayData } from '../../events/replay-events.js';
import { payloadOf, readFlowEvent } from '../../flows/flow-event.js';
import { DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import { requireTimeRange } from '../../kernel/input/parse-input.js';
import { listenerIdParameter, opaqueId, uuidParameter } from '../../kernel/input/texts.js';
import { timestamp } from '../../kernel/input/times.js';
import { type Mismatch, mismatches, mismatchText } from '../../listeners/filters/filter.js';
import type { ListenerDetails } from '../../listeners/listener.js';
import { deliverableListener } from '../../listeners/queries/deliverable-listener.js';
import { filterHistory } from '../../listeners/queries/filter-history.js';
import type { FindListener } from '../../listeners/queries/find-listener.js';
import { countDeliveries } from '../../queue/delivery-pages.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { findReplay } from './find-replays.js';
import {
  cancelReplay,
  type Replay,
  ReplayNotFound,
  replayDecider,
  replayStream,
  type StartReplay,
  startReplay,
} from './replay.js';

const aRate = { error: 'must be a number from 0.1 to 10000' };
const aType = { error: 'must be a type such as flow.completed, or flow.* for all below it' };

/** `from`, `to`: inclusive; `eventId`: the producer's. A repeat with the same `id` starts no second replay. */
export const replayRequest = {
  id: uuidParameter('must be a UUID').optional(),
  orgId: opaqueId,
  listenerId: listenerIdParameter.optional(),
  hookUrl: z.string().optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
  type: z.string().min(1, aType).max(128, aType).optional(),
  eventId: opaqueId.optional(),
  ratePerSecond: z.number(aRate).min(0.1, aRate).max(10_000, aRate).optional(),
};

type ReplayRequest = z.output<z.ZodObject<typeof replayRequest>>;

type ReplayStores = {
  store: EventStore;
  queue: Pick<DeliveryQueue, 'events' | 'deliveries' | 'withdraw'>;
};

export type OperateReplays = ReplayStores & {
  findListener: FindListener;
};

type Context = { cause: Cause; now: Date };

class FilterMismatch extends DomainError {
  readonly code = 'filter_mismatch';

  constructor(failed: readonly Mismatch[]) {
    super(`the listener's filter excludes this event: ${mismatchText(failed)}`);
  }
}

const defaultRatePerSecond = 50;

/**
 * Starts a replay, which a running service performs. Throws `ListenerNotRegistered`, `ListenerIsPaused`,
 * `FlowEventNotFound`, `FilterMismatch` where the filter excludes the one event, and `InvalidRequest` where the ID is
 * another replay's.
 */
export async function beginReplay(
  { store, queue, findListener }: OperateReplays,
  request: ReplayRequest,
  context: Context,
): Promise<ReplayData> {
  const { orgId, eventId, from, to, type, ratePerSecond = defaultRatePerSecond } = request;
  if (eventId !== undefined && (from ?? to ?? type) !== undefined) {
    throw new InvalidRequest('eventId selects one event: it excludes from, to and type');
  }
  requireTimeRange({ from: millisecondsOf(from), to: millisecondsOf(to) });
  const listener = await deliverableListener({ store, findListener }, request);
  const { listenerId } = listener;
  const event = eventId === undefined ? null : await placeOf({ store, queue }, listener, eventId);
  const replayId = request.id ?? randomUUID();
  const command = {
    replayId,
    orgId,
    listenerId,
    event,
    ratePerSecond,
    now: context.now,
    from: utc(from),
    to: utc(to),
    type: type ?? null,
  };
  const { state } = await handle(
    store,
    replayStream(replayId),
    replayDecider,
    (replay) => startReplay(command, replay),
    context,
  );
  if (state.state === 'none') throw new ReplayNotFound(replayId); // cannot happen: it was just started
  if (!isRepeated(state.replay, command)) throw new InvalidRequest('id belongs to another replay');
  return state.replay;
}

/**
 * Cancels waiting and held deliveries, not attempts in progress; the fan-out does after a crash in between.
 * Repeatable. Throws `ReplayNotFound`.
 */
export async function endReplay(
  { store, queue }: ReplayStores,
  replayId: string,
  context: Context,
): Promise<{ replay: Replay; cancelled: number }> {
  const { orgId } = await findReplay(store, replayId);
  const before = await countDeliveries(queue, { orgId, replay: replayId, states: ['waiting', 'held'] });
  const { state, position } = await handle(
    store,
    replayStream(replayId),
    replayDecider,
    (replay) => cancelReplay({ replayId, reason: 'requested' }, replay),
    context,
  );
  const cancelled = await queue.withdraw({ replay: replayId }); // the fan-out may have been quicker
  return { replay: state, cancelled: position === undefined ? cancelled : Math.max(before, cancelled) };
}

const isRepeated = (known: ReplayData, { now: _, ...asked }: StartReplay): boolean =>
  Object.entries(asked).every(([field, value]) => isDeepStrictEqual(known[field as keyof typeof asked], value));

const millisecondsOf = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant);

const utc = (instant: string | undefined): string | null =>
  instant === undefined ? null : new Date(instant).toISOString();

async function placeOf(sources: ReplayStores, listener: ListenerDetails, eventId: string) {
  const { store } = sources;
  const recorded = await readLocated(store, await locateFlowEvent(sources, listener.orgId, eventId));
  const filterAt = await filterHistory(store, listener);
  const failed = mismatches(filterAt(recorded.position), payloadOf(readFlowEvent(recorded)));
  if (failed.length > 0) throw new FilterMismatch(failed);
  const { stream, revision } = recorded;
  return { stream, revision: revision.toString() };
}
