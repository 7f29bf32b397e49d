import { LeaseLost } from '../../stores/leases/leases.js';
import { insertNew } from '../../stores/mongodb/insert-new.js';
import type { WaitingEvent, WaitingEvents } from '../queue/kept-events.js';
import { CheckpointLost, type FanOutCheckpoint } from '../queue/leasing.js';
import type { Collections, WaitingEventRow } from './collections.js';

/** `add` comes before the checkpoint moves, `remove` after it: both are repeatable. */
export type StoredWaitingEvents = WaitingEvents & {
  readonly add: (checkpoint: FanOutCheckpoint) => Promise<void>;
  readonly remove: (checkpoint: FanOutCheckpoint) => Promise<void>;
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
    waitingOrganisations: (reader) => waitingEvents.distinct('orgId', { reader }),
    async firstWaiting(reader, orgId) {
      const row = await waitingEvents.findOne({ reader, orgId }, { sort: { position: 1 } });
      if (!row) return undefined;
      const { position, stream, revision } = row;
      return { orgId, position, stream, revision };
    },
  };
}

type Kept = WaitingEvent & { readonly reader: string };

export const toWaitingEventRow = (event: Kept): WaitingEventRow => ({ _id: waitingEventKey(event), ...event });

/** JSON keeps the parts distinct. */
const waitingEventKey = ({ reader, orgId, position }: Kept): string => JSON.stringify([reader, orgId, `${position}`]);

export type Checkpoints = ReturnType<typeof openCheckpoints>;

/** The checkpoint of each reader. A checkpoint never moves back, and never moves for a reader whose term is over. */
export function openCheckpoints({ checkpoints }: Collections, waitingEvents: StoredWaitingEvents) {
  /** Returns false if there is no checkpoint yet, or its term is later. */
  async function advance({ reader, position, term }: FanOutCheckpoint): Promise<boolean> {
    const { matchedCount } =
      term === undefined
        ? await checkpoints.updateOne({ _id: reader }, { $max: { position } })
        : await checkpoints.updateOne({ _id: reader, term: { $lte: term } }, { $max: { position }, $set: { term } });
    return matchedCount === 1;
  }

  async function move(checkpoint: FanOutCheckpoint): Promise<void> {
    const { reader, position, term = 0n } = checkpoint;
    if (await advance(checkpoint)) return;
    if (checkpoint.follows && !(await checkpoints.findOne({ _id: reader }))) throw new CheckpointLost(reader);
    if ((await insertNew(checkpoints, [{ _id: reader, position, term }])).length === 0) return;
    if (!(await advance(checkpoint))) throw new LeaseLost(reader, term);
  }

  return {
    of: async (reader: string): Promise<bigint | undefined> => (await checkpoints.findOne({ _id: reader }))?.position,
    /** Throws `LeaseLost` if a later term has begun, and `CheckpointLost` if the preceding checkpoint is missing. */
    async require({ reader, term, follows }: FanOutCheckpoint): Promise<void> {
      const kept = await checkpoints.findOne({ _id: reader });
      if (kept === null && follows) throw new CheckpointLost(reader);
      if (kept && term !== undefined && kept.term > term) throw new LeaseLost(reader, term);
    },
    /** Moves the checkpoint between adding and removing its waiting events, or throws as `require` does. */
    async move(checkpoint: FanOutCheckpoint): Promise<void> {
      await waitingEvents.add(checkpoint);
      await move(checkpoint);
      await waitingEvents.remove(checkpoint);
    },
  };
}
