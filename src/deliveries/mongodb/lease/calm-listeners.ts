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
  private readonly healthy = new Set<string>();
  private readonly leases = new WeakSet<object>();
  /** Number of times that listeners were forgotten. */
  changes = 0;

  /** `since`: `changes` before the read; what was forgotten meanwhile may have been read before it changed. */
  note(listeners: Iterable<ListenerRow>, since: number): void {
    if (this.healthy.size > maxRemembered) this.clear();
    for (const listener of listeners) {
      const { _id } = listener;
      const isCurrent = this.changes === since;
      if (isCurrent && isCalm(listener)) this.rows.set(_id, listener);
      else this.rows.delete(_id);
      if (isCurrent && isHealthy(listener)) this.healthy.add(_id);
      else this.healthy.delete(_id);
    }
  }

  /** Tells whether a success needs no change of its health; it may be ordered, and have deliveries that wait. */
  isHealthy(listenerId: string): boolean {
    return this.healthy.has(listenerId);
  }

  get(listenerId: string): ListenerRow | undefined {
    return this.rows.get(listenerId);
  }

  forget(listenerId: string): void {
    this.changes += 1;
    this.rows.delete(listenerId);
    this.healthy.delete(listenerId);
  }

  forgetAll(): void {
    this.changes += 1;
    this.clear();
  }

  /** Forgets all listeners if one of these leases was not used before. */
  use(leases: Iterable<Pick<LeadershipLease, 'isHeld'>>): void {
    for (const { isHeld } of leases) {
      if (this.leases.has(isHeld)) continue;
      this.leases.add(isHeld); // the same of all copies of a lease
      this.forgetAll();
    }
  }

  private clear(): void {
    this.rows.clear();
    this.healthy.clear();
  }
}

const isHealthy = ({ closed, health }: ListenerRow): boolean =>
  !closed && Object.keys(health ?? {}).every((field) => field === 'recent');

const isCalm = (listener: ListenerRow): boolean =>
  isHealthy(listener) && !listener.paused && !listener.subscription?.ordered && !listener.nextDue;
