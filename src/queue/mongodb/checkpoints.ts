import { inBatches } from '../../kernel/in-batches.js';
import { LeaseLost } from '../../stores/leases/leases.js';
import { insertNew, updateEach } from '../../stores/mongodb/bulk-writes.js';
import type { WaitingEvent } from '../delivery.js';
import { CheckpointLost, type FanOutCheckpoint } from '../fan-out-batch.js';
import type { Collections, WaitingEventRow } from './collections.js';

/** `add` comes before the checkpoint moves, `remove` after it: both are repeatable. */
export type StoredWaitingEvents = {
  add: (checkpoint: FanOutCheckpoint) => Promise<void>;
  remove: (checkpoint: FanOutCheckpoint) => Promise<void>;
  /** The first of each organisation, or of one. */
  firstOf: (readers: readonly string[], orgId?: string) => Promise<readonly WaitingEvent[]>;
};

export function openWaitingEvents({ waitingEvents }: Pick<Collections, 'waitingEvents'>): StoredWaitingEvents {
  return {
    async add({ reader, waiting = [] }) {
      if (waiting.length > 0)
        await insertNew(
          waitingEvents,
          waiting.map((event) => toWaitingEventRow({ reader, ...event })),
        );
    },
    async remove({ reader, handedOver }) {
      if (handedOver) await waitingEvents.deleteOne({ _id: waitingEventKey({ reader, ...handedOver }) });
    },
    async firstOf(readers, orgId) {
      const organisations = orgId === undefined ? await waitingEvents.distinct('orgId', of(readers)) : [orgId];
      const found = await inBatches(organisations, (each) =>
        waitingEvents.findOne(
          { ...of(readers), orgId: each },
          { sort: { position: 1 }, projection: { _id: 0, reader: 0 } },
        ),
      );
      return found.filter((event) => event !== null);
    },
  };
}

const of = (readers: readonly string[]) => ({ reader: { $in: [...readers] } });

type Kept = WaitingEvent & { reader: string };

export const toWaitingEventRow = (event: Kept): WaitingEventRow => ({ _id: waitingEventKey(event), ...event });

/** JSON keeps the parts distinct. */
const waitingEventKey = ({ reader, orgId, position }: Kept): string => JSON.stringify([reader, orgId, `${position}`]);

export type Checkpoints = ReturnType<typeof openCheckpoints>;

/** The checkpoint of each reader. A checkpoint never moves back, and never moves for a reader whose term is over. */
export function openCheckpoints({ checkpoints }: Collections, waitingEvents: StoredWaitingEvents) {
  /** Terms by reader: the one under which this process has moved the checkpoint last. */
  const movedIn = new Map<string, bigint | undefined>();

  /** Returns the number of those that exist, under no later term. */
  async function advance(moved: readonly FanOutCheckpoint[]): Promise<number> {
    const updates = moved.map(({ reader, position, term }) => ({
      filter: term === undefined ? { _id: reader } : { _id: reader, term: { $lte: term } },
      update: { $max: { position }, ...(term !== undefined && { $set: { term } }) },
    }));
    return (await updateEach(checkpoints, updates)).matchedCount;
  }

  async function move(checkpoint: FanOutCheckpoint): Promise<void> {
    const { reader, position, term = 0n } = checkpoint;
    if ((await advance([checkpoint])) === 1) return;
    if (checkpoint.follows && !(await checkpoints.findOne({ _id: reader }))) throw new CheckpointLost(reader);
    if ((await insertNew(checkpoints, [{ _id: reader, position, term }])).length === 0) return;
    if ((await advance([checkpoint])) === 0) throw new LeaseLost(reader, term);
  }

  return {
    async positions(readers: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
      const rows = await checkpoints.find({ _id: { $in: [...readers] } }).toArray();
      return new Map(rows.map(({ _id, position }) => [_id, position]));
    },
    /**
     * Throws `LeaseLost` if a later term has begun, and `CheckpointLost` if a preceding checkpoint is missing. Once this
     * process has moved a checkpoint in this term, `move` alone finds that out.
     */
    async require(moved: readonly FanOutCheckpoint[]): Promise<void> {
      const first = moved.filter(({ reader, term }) => !movedIn.has(reader) || movedIn.get(reader) !== term);
      if (first.length === 0) return;
      const kept = await checkpoints.find({ _id: { $in: first.map(({ reader }) => reader) } }).toArray();
      const known = new Map(kept.map((row) => [row._id, row]));
      for (const { reader, term, follows } of first) {
        const row = known.get(reader);
        if (!row && follows) throw new CheckpointLost(reader);
        if (row && term !== undefined && row.term > term) throw new LeaseLost(reader, term);
      }
    },
    /** Moves those that a reader has neither lost to a later term nor altogether; `require` finds these again. */
    async moveUnlessLost(moved: readonly FanOutCheckpoint[]): Promise<void> {
      if (moved.length === 0 || (await advance(moved)) === moved.length) return;
      for (const { reader } of moved) movedIn.delete(reader);
    },
    /** Moves the checkpoints between adding and removing their waiting events, or throws as `require` does. */
    async move(moved: readonly FanOutCheckpoint[]): Promise<void> {
      if (moved.length === 0) return;
      for (const checkpoint of moved) await waitingEvents.add(checkpoint);
      for (const { reader } of moved) movedIn.delete(reader);
      if ((await advance(moved)) < moved.length) for (const checkpoint of moved) await move(checkpoint);
      for (const { reader, term } of moved) movedIn.set(reader, term);
      for (const checkpoint of moved) await waitingEvents.remove(checkpoint);
    },
  };
}
