import type { Collections } from './collections.js';
import type { Gates } from './gates.js';

/** By listener ID: from when on, in milliseconds since 1970, something more of the hook may be leased. */
export type DueTimes = ReadonlyMap<string, number>;

/**
 * Brings hooks forward in the order of leasing, after deliveries of theirs were written. Where the gate has closed
 * meanwhile, or the hook is paused, they are cancelled or held instead: whoever closed it may have looked before they were there.
 */
export function hookWaker({ targets }: Collections, gates: Gates): (due: DueTimes) => Promise<void> {
  return async (due) => {
    if (due.size === 0) return;
    const hooksAt = new Map<number, string[]>();
    for (const [listenerId, at] of due) {
      const hooks = hooksAt.get(at);
      if (hooks) hooks.push(listenerId);
      else hooksAt.set(at, [listenerId]);
    }
    const updates = [...hooksAt].map(([at, listenerIds]) => ({
      updateMany: {
        filter: { _id: { $in: listenerIds }, closed: false, paused: { $ne: true } },
        update: { $min: { nextDue: new Date(at) }, $inc: { wakes: 1 } },
      },
    }));
    const { matchedCount } = await targets.bulkWrite(updates, { ordered: false });
    if (matchedCount < due.size) await gates.withdrawBehind([...due.keys()]);
  };
}
