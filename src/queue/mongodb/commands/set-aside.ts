import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import type { SetAside, SetAsideChange, SetAsideQuery } from '../../delivery.js';
import type { Collections, SetAsideRow } from '../collections.js';

export type SetAsideStore = ReturnType<typeof openSetAside>;

export function openSetAside({ setAside }: Pick<Collections, 'setAside'>) {
  return {
    async put(events: readonly SetAside[]): Promise<void> {
      await insertNew(
        setAside,
        events.map(({ position, ...event }) => ({ _id: position, ...event })),
      );
    },
    async list({ event, after = -1n, limit = 100 }: SetAsideQuery = {}): Promise<readonly SetAside[]> {
      // No index by stream: a retry names one event at a time, and there are few events.
      const rows = setAside.find({
        _id: { $gt: after },
        stream: event?.stream,
        revision: event?.revision,
      });
      return (await rows.sort({ _id: 1 }).limit(limit).toArray()).map(toSetAside);
    },
    async change(changes: readonly SetAsideChange[]): Promise<void> {
      const removed = changes.filter(({ reason }) => reason === undefined).map(({ position }) => position);
      if (removed.length > 0) await setAside.deleteMany({ _id: { $in: removed } });
      for (const { position, reason } of changes) {
        // No upsert: an event that another retry has just removed is not inserted again.
        if (reason !== undefined) await setAside.updateOne({ _id: position }, { $set: { reason } });
      }
    },
  };
}

const toSetAside = ({ _id, stream, revision, type, reason }: SetAsideRow): SetAside => ({
  position: _id,
  stream,
  revision,
  type,
  reason,
});
