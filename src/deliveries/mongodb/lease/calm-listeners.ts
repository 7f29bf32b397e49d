import type { LeadershipLease } from '../../../stores/leases/leases.js';
import type { ListenerRow } from '../collections.js';

/** Maximum number that are remembered, to bound memory. */
const maxRemembered = 10_000;

/**
 * Listeners, as they were read last, to which nothing is known but that they get deliveries. Other instances invalidate those that
 * they change; the holder of a lease changes them alone, so a new lease has all read again.
 */
export class CalmListeners {
  private readonly rows = new Map<string, ListenerRow>();
  private readonly leases = new WeakSet<object>();
  /** Number of times that listeners were forgotten. */
  changes = 0;

  /** `since`: `changes` before the read; what was forgotten meanwhile may have been read before it changed. */
  note(listeners: Iterable<ListenerRow>, since: number): void {
    if (this.rows.size > maxRemembered) this.rows.clear();
    for (const listener of listeners) {
      if (isCalm(listener) && this.changes === since) this.rows.set(listener._id, listener);
      else this.rows.delete(listener._id);
    }
  }

  get(listenerId: string): ListenerRow | undefined {
    return this.rows.get(listenerId);
  }

  forget(listenerId: string): void {
    this.changes += 1;
    this.rows.delete(listenerId);
  }

  forgetAll(): void {
    this.changes += 1;
    this.rows.clear();
  }

  /** Forgets all listeners if one of these leases was not used before. */
  use(leases: Iterable<Pick<LeadershipLease, 'isHeld'>>): void {
    for (const { isHeld } of leases) {
      if (this.leases.has(isHeld)) continue;
      this.leases.add(isHeld); // the same of all copies of a lease
      this.forgetAll();
    }
  }
}

const isCalm = ({ closed, paused, subscription, nextDue, health }: ListenerRow): boolean =>
  !closed &&
  !paused &&
  !subscription?.ordered &&
  !nextDue &&
  Object.keys(health ?? {}).every((field) => field === 'recent');
