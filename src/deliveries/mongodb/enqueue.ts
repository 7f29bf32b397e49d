import { insertNew } from '../../mongodb/insert-new.js';
import type { FanOutBatch, Message, NewDelivery, Target } from '../delivery-queue.js';
import type { Checkpoints } from './checkpoints.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey, type TargetRow } from './collections.js';
import type { Gates } from './gates.js';
import { putTargets } from './put-targets.js';
import type { Tally } from './tally.js';
import type { DueTimes } from './wake-hooks.js';

type Parts = {
  readonly gates: Gates;
  readonly tally: Tally;
  readonly checkpoints: Checkpoints;
  readonly wakeHooks: (due: DueTimes) => Promise<void>;
};

/**
 * Writes what the fan-out hands over. There is no transaction: each step may be taken again, what a delivery needs is
 * there before it, and the checkpoint moves last, so a batch that was cut short is completed when it comes again.
 */
export function enqueuer(
  collections: Collections,
  { gates, tally, checkpoints, wakeHooks }: Parts,
): (batch: FanOutBatch, now: number) => Promise<{ readonly added: number }> {
  const { messages, targets, deliveries, setAside } = collections;

  async function knownTargets(batch: FanOutBatch): Promise<ReadonlyMap<string, TargetRow>> {
    const ids = new Set([...batch.targets, ...batch.deliveries].map(({ listenerId }) => listenerId));
    if (ids.size === 0) return new Map();
    const rows = await targets.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /** The positions of all messages that the deliveries name, by `messageKey`. */
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

  /** Returns how many are new. */
  async function add(rows: readonly DeliveryRow[]): Promise<number> {
    const waiting = rows.filter(({ state }) => state === 'waiting');
    const cancelled = rows.filter(({ state }) => state === 'cancelled');
    const [waitingBefore, cancelledBefore] = await Promise.all([
      insertNew(deliveries, waiting),
      insertNew(deliveries, cancelled),
    ]);
    // Those that were there too: whoever inserted them may not have come this far.
    const due = new Map(waiting.map(({ listenerId, freeAt }) => [listenerId, freeAt.getTime()]));
    const added = {
      waiting: waiting.length - waitingBefore.length,
      cancelled: cancelled.length - cancelledBefore.length,
    };
    await Promise.all([wakeHooks(due), tally.add(added)]);
    return added.waiting + added.cancelled;
  }

  return async (batch, now) => {
    const { checkpoint } = batch;
    const [known, positions] = await Promise.all([
      knownTargets(batch),
      positionsFor(batch),
      checkpoint && checkpoints.require(checkpoint),
    ]);
    requireTargets(batch, known);
    const rows = batch.deliveries.map((delivery) =>
      toRow(delivery, {
        position: positions.get(messageKey(delivery)),
        closed: known.get(delivery.listenerId)?.closed,
        now,
      }),
    );
    await Promise.all([
      insertNew(messages, batch.messages.map(toMessageRow)),
      putTargets(targets, batch.targets, known),
      insertNew(
        setAside,
        batch.setAside.map(({ position, ...aside }) => ({ _id: position, ...aside })),
      ),
    ]);
    const added = await add(rows);
    await gates.close(batch.ended);
    if (checkpoint) await checkpoints.move(checkpoint);
    return { added };
  };
}

function requireTargets(batch: FanOutBatch, known: ReadonlyMap<string, TargetRow>): void {
  const given = new Set(batch.targets.map(({ listenerId }: Target) => listenerId));
  for (const { listenerId } of batch.deliveries) {
    if (given.has(listenerId) || known.get(listenerId)?.hookUrl !== undefined) continue;
    throw new RangeError(`a delivery without its target: listener ${listenerId}`);
  }
}

const toMessageRow = (message: Message): MessageRow => ({ _id: messageKey(message), ...message });

type Circumstances = {
  readonly position: bigint | undefined;
  /** Whether the gate is known to be closed. */
  readonly closed: boolean | undefined;
  readonly now: number;
};

function toRow({ id, ...delivery }: NewDelivery, { position, closed, now }: Circumstances): DeliveryRow {
  if (position === undefined) throw new RangeError(`a delivery without its message: event ${delivery.eventId}`);
  const at = new Date(now);
  const common = { _id: id, ...delivery, position, attempts: 0, freeAt: at, enqueuedAt: at };
  return closed ? { ...common, state: 'cancelled' } : { ...common, state: 'waiting', dueAt: at };
}
