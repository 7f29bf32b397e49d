import type { Collections } from '../collections.js';
import type { Gates } from '../registrations/gates.js';

/** By listener ID: from when on, in milliseconds since 1970, something more of the hook may be leased. */
export type DueTimes = ReadonlyMap<string, number>;

/**
 * Brings hooks forward in the order of leasing, after deliveries of theirs were written. Where the gate has closed
 * meanwhile, or the hook is paused, they are cancelled or held instead: whoever closed it may have looked before they were there.
 */
export function hookWaker({ targets }: Collections, gates: Gates): (due: DueTimes) => Promise<void> {
  return async (due) => {
    if (due.size === 0) return;
    // One by one: what changes several documents the driver does not repeat where the primary steps down.
    const updates = [...due].map(([_id, at]) => ({
      updateOne: {
        filter: { _id, closed: false, paused: { $ne: true } },
        update: { $min: { nextDue: new Date(at) }, $inc: { wakes: 1 } },
      },
    }));
    const { matchedCount } = await targets.bulkWrite(updates, { ordered: false });
    if (matchedCount < due.size) await gates.withdrawBehind([...due.keys()]);
  };
}
