import { randomUUID } from 'node:crypto';
import { FanOutBegan, type FanOutEvent, fanOutStream } from '../../events/fan-out-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { emptyBatch, type FanOutBatch } from '../../queue/fan-out-batch.js';
import { partitionOf } from '../../queue/policy/partition.js';
import { positionOf } from '../../queue/reader-positions.js';
import { codecFor } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../stores/event-store/handle.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherListenerEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import {
  fanOutReader,
  type PartitionLease,
  partitionsReader,
  readerOf,
  readersOf,
  requirePartitions,
} from './partitions.js';

type FanOutHistory = { begun: boolean };

const fanOutDecider: Decider<FanOutHistory, FanOutEvent> = {
  codec: codecFor([FanOutBegan]),
  initialState: () => ({ begun: false }),
  evolve: () => ({ begun: true }),
};

const beginFanOut = ({ begun }: FanOutHistory): FanOutEvent[] => (begun ? [] : [{ type: 'FanOutBegan', data: {} }]);

/** The queue knows of no beginning though there was one: its database was lost, and sending all again is no option. */
class DeliveriesLost extends DomainError {
  readonly code = 'deliveries_lost';
}

/** Start position, exclusive: the queue knows the position of every flow event after it. */
export const fanOutBeginningReader = 'fan-out-beginning';

export type Beginning = Omit<FanOutSettings, 'view' | 'log'> & {
  /** Leases by partition that this instance holds. */
  leases: ReadonlyMap<number, Pick<PartitionLease, 'term'>>;
  signal: AbortSignal;
};

const partSize = 1_000;
/** Interval of polls of an instance that waits for the beginning at another. */
const pollMs = 250;

/**
 * Positions after which the held partitions continue, exclusive. The first beginning ever is an event, which distinguishes
 * a lost queue from a new one. The holder of the first partition begins for all. Throws `DeliveriesLost` and
 * `PartitionsDiffer`.
 */
export async function fanOutBeginning(settings: Beginning): Promise<ReadonlyMap<number, bigint>> {
  const { store, queue, count, leases, signal, clock } = settings;
  while (!(await hasBegunAt(queue, count))) {
    const term = leases.get(0)?.term;
    if (term !== undefined) await begin(settings, term);
    else {
      await requireNotLost(settings);
      await sleepUnlessAborted(pollMs, signal);
      signal.throwIfAborted();
    }
  }
  await recordBeginning(store, clock()); // the process that wrote the checkpoint may have died before this step
  const partitions = [...leases.keys()];
  const positions = await queue.positions(partitions.map((partition) => readerOf(partition, count)));
  return new Map(
    partitions.map((partition) => {
      const position = positions.get(readerOf(partition, count));
      if (position !== undefined) return [partition, position];
      throw new DeliveriesLost(`the delivery queue has lost the checkpoint of partition ${partition}`);
    }),
  );
}

async function hasBegunAt(queue: DeliveryQueue, count: number): Promise<boolean> {
  if (!(await requirePartitions(queue, count))) return false;
  return count > 1 || (await positionOf(queue, fanOutReader)) !== undefined;
}

async function begin(settings: Beginning, term: bigint): Promise<void> {
  const { queue, count, clock } = settings;
  const keep = (checkpoint: NonNullable<FanOutBatch['checkpoint']>) =>
    queue.enqueue({ ...emptyBatch, checkpoint }, clock());
  let position = await positionOf(queue, fanOutReader);
  if (position === undefined) {
    position = await chosen(settings);
    await closeGates(settings, position);
    for (const reader of [fanOutBeginningReader, fanOutReader]) await keep({ reader, position, term });
  }
  if (count === 1) return;
  const from = position;
  await keep(readersOf(count).map((reader) => ({ reader, position: from })));
  for (const { orgId } of await queue.waiting([fanOutReader])) await divideWaiting(settings, orgId, from);
  await keep({ reader: partitionsReader, position: BigInt(count) }); // last: only now the partitions are read
}

/** Moves the waiting events of an organisation to its partition, the first first. Repeatable. */
async function divideWaiting({ queue, count, clock }: Beginning, orgId: string, position: bigint): Promise<void> {
  const reader = readerOf(partitionOf(orgId, count), count);
  for (let [event] = await queue.waiting([fanOutReader], orgId); event; ) {
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader, position, waiting: [event] } }, clock());
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader: fanOutReader, position, handedOver: event } }, clock());
    [event] = await queue.waiting([fanOutReader], orgId);
  }
}

/**
 * Chooses the beginning: before the first listener was registered, nothing can have been delivered; later events are owed, if we are new.
 */
async function chosen({ store, startFrom }: Beginning): Promise<bigint> {
  if (startFrom !== undefined) return startFrom;
  const head = await store.head();
  const firstListener = await firstOf(store, 'listener');
  if (firstListener === undefined) return head;
  if ((await hasBegun(store)) && (await firstOf(store, 'flow')) !== undefined) {
    throw new DeliveriesLost('flow events have happened, but the delivery queue knows nothing of them');
  }
  return firstListener;
}

/** Throws `DeliveriesLost` where no beginning can be chosen, though another instance is to choose it. */
async function requireNotLost(settings: Beginning): Promise<void> {
  await chosen(settings);
}

/**
 * Brings the listeners of the queue up to the history, so that one removed since a position gets nothing, not even events from
 * before its removal.
 */
export async function closeGates(
  { store, queue, clock }: Pick<Beginning, 'store' | 'queue' | 'clock'>,
  from: bigint,
): Promise<void> {
  const batch = new FanOutBatchBuilder();
  let gathered = 0;
  for await (const recorded of store.readAll({ from, filter: { categories: ['listener'] } })) {
    try {
      gatherListenerEvent(batch, recorded);
    } catch (error) {
      batch.setAside(error);
    }
    gathered += 1;
    if (gathered % partSize === 0) await queue.enqueue(batch.take(), clock());
  }
  if (!batch.isEmpty) await queue.enqueue(batch.take(), clock());
}

async function firstOf(store: EventStore, category: string): Promise<bigint | undefined> {
  for await (const { position } of store.readAll({ filter: { categories: [category] }, limit: 1 })) return position;
  return undefined;
}

async function hasBegun(store: EventStore): Promise<boolean> {
  return (await load(store, fanOutStream, fanOutDecider)).state.begun;
}

async function recordBeginning(store: EventStore, now: number): Promise<void> {
  await handle(store, fanOutStream, fanOutDecider, beginFanOut, {
    cause: { actor: 'service', correlationId: randomUUID() },
    now: new Date(now),
  });
}
