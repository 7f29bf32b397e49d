import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { DeliveryState, NewDelivery, QueuedListener } from '../../queue/delivery.js';
import { checkpointsOf, type Enqueued, type FanOutBatch, type Released } from '../../queue/leasing.js';
import { isFlowEvent, noActivity } from '../../queue/policy/activity.js';
import { initialState, isFinal } from '../../queue/policy/delivery-state.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { Checkpoints } from '../checkpoints.js';
import { type DeliveryRow, type ListenerRow, type MessageRow, messageKey } from '../collections.js';
import type { DueTimes } from '../lease/freed-deliveries.js';
import type { StoredGates } from '../listeners/gates.js';
import { putListeners } from '../listeners/put-listeners.js';
import type { Replays } from '../listeners/withdraw.js';
import type { Activity } from '../outcomes/statistics.js';
import type { Shared } from '../shared.js';
import { openMessages } from './put-messages.js';

type Parts = {
  readonly activity: Pick<Activity, 'add'>;
  readonly gates: StoredGates;
  readonly replays: Replays;
  readonly checkpoints: Checkpoints;
  readonly release: (released: Released, now: number) => Promise<void>;
};

/**
 * Writes a batch of the fan-out, without a transaction: every step is repeatable, a delivery is inserted after the
 * documents that it needs, and the checkpoint moves last. A batch that was interrupted is completed when it is enqueued
 * again.
 */
export function openEnqueue(
  { collections, tally, freed }: Shared,
  { activity, gates, replays, checkpoints, release }: Parts,
): (batch: FanOutBatch, time: CallTime) => Promise<Enqueued> {
  const { messages, listeners, deliveries, setAside } = collections;
  const bodies = openMessages(collections);

  async function knownListeners(batch: FanOutBatch): Promise<ReadonlyMap<string, ListenerRow>> {
    const ids = new Set([...batch.listeners, ...batch.deliveries].map(({ listenerId }) => listenerId));
    if (ids.size === 0) return new Map();
    const rows = await listeners.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /** The positions of the deliveries' messages, by `messageKey`. */
  async function positionsFor(batch: FanOutBatch): Promise<ReadonlyMap<string, bigint>> {
    const positions = new Map(batch.messages.map((message) => [messageKey(message), message.position]));
    const missing = new Set(batch.deliveries.map(messageKey).filter((key) => !positions.has(key)));
    if (missing.size === 0) return positions;
    const found = messages
      .find({ _id: { $in: [...missing] } })
      .project<Pick<MessageRow, '_id' | 'position'>>({ position: 1 });
    for await (const { _id, position } of found) positions.set(_id, position);
    return positions;
  }

  /** Returns the number of new deliveries, and the rows that existed, whose states may differ from the stored ones. */
  async function insert(rows: readonly DeliveryRow[]): Promise<{ added: number; existing: readonly DeliveryRow[] }> {
    const added: Partial<Record<DeliveryState, number>> = {};
    const existing: DeliveryRow[] = [];
    await Promise.all(
      (['waiting', 'held', 'cancelled'] as const).map(async (state) => {
        const wanted = rows.filter((row) => row.state === state);
        const found = await insertNew(deliveries, wanted);
        existing.push(...found);
        added[state] = wanted.length - found.length;
      }),
    );
    await tally.add(added);
    return { added: Object.values(added).reduce((sum, count) => sum + count, 0), existing };
  }

  return async (batch, time) => {
    const moved = checkpointsOf(batch);
    const [known, positions, cancelled] = await Promise.all([
      knownListeners(batch),
      positionsFor(batch),
      replays.cancelledOf(batch.deliveries),
      checkpoints.require(moved),
    ]);
    requireListeners(batch, known);
    const stateOf = statesIn(batch, { known, cancelled });
    const rows = batch.deliveries.map((delivery) =>
      toRow(delivery, { position: positions.get(messageKey(delivery)), state: stateOf(delivery), time }),
    );
    const isReplay = batch.deliveries.some(({ replay }) => replay !== undefined);
    const [{ existing, publishedAgain }] = await Promise.all([
      bodies.put(batch.messages, isReplay),
      putListeners(listeners, { given: batch.listeners, known, now: time.queueNow }),
      insertNew(
        setAside,
        batch.setAside.map(({ position, ...aside }) => ({ _id: position, ...aside })),
      ),
    ]);
    const wanted = rows.filter((row) => !publishedAgain.has(messageKey(row)));
    const isKnown = new Set([...publishedAgain, ...existing.map(messageKey)]);
    const events = batch.messages.filter((each) => isFlowEvent(each, isReplay) && !isKnown.has(messageKey(each)));
    const [{ added, existing: enqueuedBefore }] = await Promise.all([
      insert(wanted),
      activity.add({ ...noActivity, events: events.length }, time.now),
    ]);
    if (wanted.length > 0) await bodies.keepBodies(existing);
    // Existing deliveries too: the call that inserted them may have ended before this step, and the listener be paused since.
    await freed.wake(dueTimesOf([...wanted.filter(({ state }) => state === 'waiting'), ...enqueuedBefore]));
    await replays.withdraw(await replays.cancelledOf(batch.deliveries));
    for (const replay of batch.cancelledReplays ?? []) await replays.cancel(replay);
    await gates.withdrawBehind(batch.listeners.flatMap(({ listenerId, paused }) => (paused ? [listenerId] : [])));
    for (const released of batch.released ?? []) await release(released, time.queueNow);
    await gates.close(batch.ended);
    await checkpoints.move(moved);
    return { added };
  };
}

const dueTimesOf = (rows: readonly DeliveryRow[]): DueTimes =>
  new Map(rows.map(({ listenerId, leasableAt }) => [listenerId, leasableAt.getTime()]));

/** The initial state of a delivery. Concurrent changes of its listener or replay are applied after the insert. */
function statesIn(
  { listeners }: FanOutBatch,
  { known, cancelled }: { readonly known: ReadonlyMap<string, ListenerRow>; readonly cancelled: ReadonlySet<string> },
): (delivery: NewDelivery) => 'waiting' | 'held' | 'cancelled' {
  const given = new Map(listeners.map((listener) => [listener.listenerId, listener]));
  return (delivery) => {
    const { listenerId, replay } = delivery;
    const row = known.get(listenerId);
    const listener = given.get(listenerId);
    const latest = row && (!listener || row.position >= listener.position) ? row : listener;
    return initialState(delivery, {
      closed: row?.closed ?? false,
      paused: latest?.paused ?? false,
      replayCancelled: replay !== undefined && cancelled.has(replay),
    });
  };
}

function requireListeners(batch: FanOutBatch, known: ReadonlyMap<string, ListenerRow>): void {
  const given = new Set(batch.listeners.map(({ listenerId }: QueuedListener) => listenerId));
  for (const { listenerId } of batch.deliveries) {
    if (given.has(listenerId) || known.get(listenerId)?.hookUrl !== undefined) continue;
    throw new RangeError(`a delivery without its listener: listener ${listenerId}`);
  }
}

type Circumstances = {
  readonly position: bigint | undefined;
  readonly state: 'waiting' | 'held' | 'cancelled';
  readonly time: CallTime;
};

function toRow({ id, held: _, ...delivery }: NewDelivery, { position, state, time }: Circumstances): DeliveryRow {
  if (position === undefined) throw new RangeError(`a delivery without its message: event ${delivery.eventId}`);
  const enqueuedAt = new Date(time.now);
  const dueAt = new Date(time.queueNow);
  const row = { _id: id, ...delivery, position, state, attempts: 0, leasableAt: dueAt, enqueuedAt };
  if (isFinal(state)) return { ...row, endedAt: enqueuedAt };
  return state === 'waiting' ? { ...row, dueAt } : row;
}
