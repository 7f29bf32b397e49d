import type { SetAside, SetAsideEvents } from '../../queue/delivery.js';
import type { Collections, SetAsideRow } from '../collections.js';

export function openSetAside({ setAside }: Pick<Collections, 'setAside'>): SetAsideEvents {
  return {
    async listSetAside({ event, after = -1n, limit = 100 } = {}) {
      // No index by stream: a retry names one event at a time, and there are few events.
      const rows = setAside.find({
        _id: { $gt: after },
        stream: event?.stream,
        revision: event?.revision,
      });
      return (await rows.sort({ _id: 1 }).limit(limit).toArray()).map(toSetAside);
    },
    // No upsert: an event that another retry has just removed is not inserted again.
    explainSetAside: async (position, reason) =>
      void (await setAside.updateOne({ _id: position }, { $set: { reason } })),
    removeSetAside: async (position) => void (await setAside.deleteOne({ _id: position })),
  };
}

const toSetAside = ({ _id, stream, revision, type, reason }: SetAsideRow): SetAside => ({
  position: _id,
  stream,
  revision,
  type,
  reason,
});
