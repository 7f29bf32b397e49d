import type { SetAside, SetAsideQuery } from '../../queue/kept-events.js';
import type { Collections, SetAsideRow } from '../collections.js';

/** Events that were set aside. Each call reads, or writes one document with one command. */
export type SetAsideEvents = {
  readonly list: (query?: SetAsideQuery) => Promise<readonly SetAside[]>;
  readonly explain: (position: bigint, reason: string) => Promise<void>;
  readonly remove: (position: bigint) => Promise<void>;
};

export function openSetAside({ setAside }: Collections): SetAsideEvents {
  return {
    async list({ event, after = -1n, limit = 100 } = {}) {
      // No index by stream: a retry names one event at a time, and there are few events.
      const rows = setAside.find({
        _id: { $gt: after },
        ...(event && { stream: event.stream, revision: event.revision }),
      });
      return (await rows.sort({ _id: 1 }).limit(limit).toArray()).map(toSetAside);
    },
    // No upsert: an event that another retry has just removed is not inserted again.
    explain: async (position, reason) => void (await setAside.updateOne({ _id: position }, { $set: { reason } })),
    remove: async (position) => void (await setAside.deleteOne({ _id: position })),
  };
}

const toSetAside = ({ _id, stream, revision, type, reason }: SetAsideRow): SetAside => ({
  position: _id,
  stream,
  revision,
  type,
  reason,
});
