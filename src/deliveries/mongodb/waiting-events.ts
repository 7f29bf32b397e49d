import { insertNew } from '../../stores/mongodb/insert-new.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import type { WaitingEvent } from '../queue/waiting-events.js';
import type { Collections, WaitingEventRow } from './collections.js';

/** `add` comes before the checkpoint moves, `remove` after it: both are repeatable. */
export type StoredWaitingEvents = {
  readonly add: (checkpoint: FanOutCheckpoint) => Promise<void>;
  readonly remove: (checkpoint: FanOutCheckpoint) => Promise<void>;
  readonly organisations: (reader: string) => Promise<readonly string[]>;
  readonly first: (reader: string, orgId: string) => Promise<WaitingEvent | undefined>;
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
    organisations: (reader) => waitingEvents.distinct('orgId', { reader }),
    async first(reader, orgId) {
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
