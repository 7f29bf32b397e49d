import type { Collections } from '../collections.js';
import type { StoredGates } from '../listeners/gates.js';

/** By listener ID: when another delivery of the listener may be leased, in milliseconds since 1970. */
export type DueTimes = ReadonlyMap<string, number>;

/**
 * Moves listeners' due hints forward, after their deliveries were written. If the gate has closed meanwhile, or the listener is
 * paused, the deliveries are cancelled or held instead, since that step may have run before they were written.
 */
export function listenerWaker({ listeners }: Collections, gates: StoredGates): (due: DueTimes) => Promise<void> {
  return async (due) => {
    if (due.size === 0) return;
    // One update per document: the driver does not retry updates of several documents when the primary steps down.
    const updates = [...due].map(([_id, at]) => ({
      updateOne: {
        filter: { _id, closed: false, paused: { $ne: true } },
        update: { $min: { nextDue: new Date(at) }, $inc: { hintVersion: 1 } },
      },
    }));
    const { matchedCount } = await listeners.bulkWrite(updates, { ordered: false });
    if (matchedCount < due.size) await gates.withdrawBehind([...due.keys()]);
  };
}
