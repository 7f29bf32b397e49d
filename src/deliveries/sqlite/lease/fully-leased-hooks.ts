import type { OnRollback } from '../../../stores/sqlite/group-commit.js';

/**
 * Hooks whose due deliveries are all under lease, in memory: their rows say that they are due, and leasing passes over them
 * without reading anything. Any change of such a hook or its deliveries has to invalidate its entry. Every entry belongs to a
 * hook with a lease, which bounds their number.
 */
export class FullyLeasedHooks {
  private readonly freeFrom = new Map<number, number>();

  /** When a delivery of the hook may be free again, on the queue's clock; undefined if one may be free now. */
  untilFree(hookKey: number, now: number): number | undefined {
    const until = this.freeFrom.get(hookKey);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Remembers that no delivery of the hook is both due and free before `until`. */
  add(hookKey: number, until: number, onRollback: OnRollback): void {
    this.freeFrom.set(hookKey, until);
    onRollback(() => this.invalidate(hookKey));
  }

  /** Removes the entry of this hook, or all entries. */
  invalidate(hookKey?: number): void {
    if (hookKey === undefined) this.freeFrom.clear();
    else this.freeFrom.delete(hookKey);
  }
}
