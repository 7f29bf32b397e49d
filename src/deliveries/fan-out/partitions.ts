import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../kernel/domain-error.js';
import type { WaitingEvent } from '../../queue/delivery.js';
import type { FanOutCheckpoint } from '../../queue/fan-out-batch.js';
import { partitionOf } from '../../queue/policy/partition.js';
import { positionOf, type ReaderPositions } from '../../queue/reader-positions.js';
import { bucketIn } from '../../stores/event-store/bucket.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import type { LeadershipLease } from '../../stores/leases/leases.js';

/** Reader of the only partition, and of a fan-out from before there were partitions. */
export const fanOutReader = 'fan-out';
/** Reader whose position is the number of partitions; without it there is one. */
export const partitionsReader = 'fan-out-partitions';

export const readerOf = (partition: number, count: number): string =>
  count === 1 ? fanOutReader : `${fanOutReader}/${partition}`;

export const readersOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, partition) => readerOf(partition, count));

/** Condition that an organisation is in the partition. */
export const isInPartition =
  (partition: number, count: number) =>
  (orgId: string): boolean =>
    partitionOf(orgId, count) === partition;

/** Organisation that the event names, before it is decoded. */
export function organisationNamedBy({ data }: RecordedEvent): string | undefined {
  const { orgId } = (data ?? {}) as { orgId?: unknown };
  return typeof orgId === 'string' ? orgId : undefined;
}

/**
 * Partition of the bucket in the stream's name, since others do not read it; else that of the organisation. An event that names none has
 * the partition of its stream, which sets it aside.
 */
function partitionOfEvent(recorded: RecordedEvent, count: number): number {
  const bucket = bucketIn(recorded.stream);
  return bucket === undefined ? partitionOf(organisationNamedBy(recorded) ?? recorded.stream, count) : bucket % count;
}

type Positions = Pick<ReaderPositions, 'positions'>;

export async function partitionCount(queue: Positions): Promise<number> {
  return Number((await positionOf(queue, partitionsReader)) ?? 1n);
}

/** The queue is divided into another number of partitions, each with its own checkpoint. */
export class PartitionsDiffer extends DomainError {
  readonly code = 'fan_out_partitions_differ';
}

/** Returns false where the queue is not divided yet. Throws `PartitionsDiffer`. */
export async function requirePartitions(queue: Positions, count: number): Promise<boolean> {
  const stored = await positionOf(queue, partitionsReader);
  if (stored === undefined) return count === 1;
  if (stored === BigInt(count)) return true;
  throw new PartitionsDiffer(
    `FAN_OUT_PARTITIONS is ${count}, but this queue has ${stored} partitions since the first start: set it to ${stored}`,
  );
}

/** Position up to which all partitions have handed over; undefined: the fan-out has not begun. */
export async function fanOutPosition(queue: Positions): Promise<bigint | undefined> {
  const readers = readersOf(await partitionCount(queue));
  const positions = await queue.positions(readers);
  return positions.size < readers.length ? undefined : lowest([...positions.values()]);
}

/** `position`: its events up to here have been handled, and up to `keptAt` are behind the stored checkpoint. */
export type Partition = {
  reader: string;
  lease: PartitionLease;
  has: (orgId: string) => boolean;
  position: bigint;
  keptAt: bigint;
  waiting: WaitingEvent[];
};

export const checkpointOf = ({ reader, position, lease, has }: Partition): FanOutCheckpoint => ({
  reader,
  position,
  term: lease.term,
  lease: { ...lease, has },
  follows: true,
});

/** Leases by partition, at least one. `positions`: of their checkpoints. */
export type Held = { leases: ReadonlyMap<number, PartitionLease>; positions: ReadonlyMap<number, bigint> };

export type PartitionLease = Pick<LeadershipLease, 'term' | 'isHeld' | 'signal'>;

export function heldPartitions({ leases, positions }: Held, count: number) {
  const byNumber = new Map<number, Partition>();
  for (const [partition, lease] of leases) {
    const position = positions.get(partition) ?? -1n;
    const [reader, has] = [readerOf(partition, count), isInPartition(partition, count)];
    byNumber.set(partition, { reader, lease, has, position, keptAt: position, waiting: [] });
  }
  const all = [...byNumber.values()];
  return {
    all,
    /** All events of all partitions up to here have been handled. */
    position: (): bigint => lowest(all.map(({ position }) => position)),
    /** Resets the positions after a failure: they are ahead of the enqueued events. */
    takeBack(): void {
      for (const partition of all) partition.position = partition.keptAt;
    },
    ownOf: (events: readonly RecordedEvent[]): readonly OwnEvent[] =>
      events.flatMap((recorded): OwnEvent[] => {
        const partition = byNumber.get(partitionOfEvent(recorded, count));
        return partition ? [{ recorded, partition }] : [];
      }),
    checkpointOfOrganisation(orgId: string): FanOutCheckpoint {
      const partition = byNumber.get(partitionOf(orgId, count));
      if (!partition) throw new RangeError('the organisation belongs to no partition of the pass');
      return checkpointOf(partition);
    },
  };
}

export const lowest = (positions: readonly bigint[]): bigint =>
  positions.reduce((one, other) => (one < other ? one : other));

export type OwnEvent = { recorded: RecordedEvent; partition: Partition };

const pollMs = 50;

/** The position up to which all events of an organisation have been handed over; undefined: the fan-out has not begun. */
export async function handedOverUpTo(
  queue: ReaderPositions,
  orgId: string,
  options?: { unwritten: true },
): Promise<bigint | undefined> {
  const count = await partitionCount(queue);
  const reader = readerOf(partitionOf(orgId, count), count);
  const checkpoint = await positionOf(queue, reader, options);
  return checkpoint === undefined ? undefined : beforeWaiting(queue, { reader, orgId, checkpoint });
}

/** Position before the first event of the organisation that waits, or the checkpoint, which was read first: events wait before it moves past them. */
export async function beforeWaiting(
  queue: Pick<ReaderPositions, 'waiting'>,
  { reader, orgId, checkpoint }: { reader: string; orgId: string; checkpoint: bigint },
): Promise<bigint> {
  const [waiting] = await queue.waiting([reader], orgId);
  return waiting && waiting.position <= checkpoint ? waiting.position - 1n : checkpoint;
}

/** Waits for the fan-out to pass a position. Only an event that hands something over moves the checkpoint. */
export const fanOutPassed = (
  queue: ReaderPositions,
  { orgId, position }: { orgId: string; position: bigint },
  timeoutMs: number,
): Promise<boolean> => hasPassed(() => handedOverUpTo(queue, orgId), position, timeoutMs);

/** False: not in time. */
export async function hasPassed(
  read: () => Promise<bigint | undefined>,
  position: bigint,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (((await read()) ?? -1n) < position) {
    if (performance.now() > deadline) return false;
    await pause(pollMs);
  }
  return true;
}
