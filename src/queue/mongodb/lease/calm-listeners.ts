import type { LeadershipLease } from '../../../stores/leases/leases.js';
import type { ListenerRow } from '../collections.js';

/** Maximum number that are remembered, to bound memory. */
const maxRemembered = 10_000;

/**
 * Healthy listeners, as they were read last. Other instances invalidate those that
 * they change; the holder of a lease changes them alone, so a new lease has all read again.
 */
export class CalmListeners {
  /** `isWaitedFor`: deliveries wait since it was read. */
  private readonly known = new Map<string, { listener: ListenerRow; isWaitedFor: boolean }>();
  private readonly leases = new WeakSet<object>();
  /** Number of times that listeners were forgotten. */
  changes = 0;

  /** `since`: `changes` before the read; what was forgotten meanwhile may have been read before it changed. */
  note(listeners: Iterable<ListenerRow>, since: number): void {
    if (this.known.size > maxRemembered) this.known.clear();
    for (const listener of listeners) {
      if (this.changes === since && isHealthy(listener)) this.known.set(listener._id, { listener, isWaitedFor: false });
      else this.known.delete(listener._id);
    }
  }

  /** Tells whether a success needs no change of its health; it may be ordered, and have deliveries that wait. */
  isHealthy(listenerId: string): boolean {
    return this.known.has(listenerId);
  }

  /** Tells whether a healthy listener has not changed since it was read, but that it gets deliveries. */
  isAsRead(listener: ListenerRow): boolean {
    return this.known.get(listener._id)?.listener === listener;
  }

  /** Undefined unless nothing is known of it but that it gets deliveries. */
  get(listenerId: string): ListenerRow | undefined {
    const known = this.known.get(listenerId);
    return known && !known.isWaitedFor && isCalm(known.listener) ? known.listener : undefined;
  }

  /** Deliveries of the listener have begun to wait. */
  hasWaiting(listenerId: string): void {
    this.changes += 1;
    const known = this.known.get(listenerId);
    if (known) known.isWaitedFor = true;
  }

  forget(listenerId: string): void {
    this.changes += 1;
    this.known.delete(listenerId);
  }

  forgetAll(): void {
    this.changes += 1;
    this.known.clear();
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

const isHealthy = ({ closed, health }: ListenerRow): boolean =>
  !closed && Object.keys(health ?? {}).every((field) => field === 'recent');

/** Tells of a healthy listener whether anything else is known of it. */
const isCalm = ({ paused, nextDue }: ListenerRow): boolean => !paused && !nextDue;
