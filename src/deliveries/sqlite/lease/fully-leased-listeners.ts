import type { OnRollback } from '../../../stores/sqlite/group-commit.js';

/**
 * Listeners whose due deliveries are all under lease, in memory: their rows say that they are due, and leasing passes over them
 * without reading anything. Any change of such a listener or its deliveries has to invalidate its entry. Every entry belongs to a
 * listener with a lease, which bounds their number.
 */
export class FullyLeasedListeners {
  private readonly freeFrom = new Map<number, number>();

  /** When a delivery of the listener may be free again, on the queue's clock; undefined if one may be free now. */
  untilFree(listenerKey: number, now: number): number | undefined {
    const until = this.freeFrom.get(listenerKey);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Remembers that no delivery of the listener is both due and free before `until`. */
  add(listenerKey: number, until: number, onRollback: OnRollback): void {
    this.freeFrom.set(listenerKey, until);
    onRollback(() => this.invalidate(listenerKey));
  }

  /** Removes the entry of this listener, or all entries. */
  invalidate(listenerKey?: number): void {
    if (listenerKey === undefined) this.freeFrom.clear();
    else this.freeFrom.delete(listenerKey);
  }
}
