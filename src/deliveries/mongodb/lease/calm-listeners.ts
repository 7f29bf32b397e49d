import type { ListenerRow } from '../collections.js';

/** Maximum number that are remembered, to bound memory. */
const maxRemembered = 10_000;

/** Listeners, as they were read last, to which nothing is known but that they get deliveries. */
export class CalmListeners {
  private readonly rows = new Map<string, ListenerRow>();

  note(listeners: Iterable<ListenerRow>): void {
    if (this.rows.size > maxRemembered) this.rows.clear();
    for (const listener of listeners) {
      if (isCalm(listener)) this.rows.set(listener._id, listener);
      else this.rows.delete(listener._id);
    }
  }

  get(listenerId: string): ListenerRow | undefined {
    return this.rows.get(listenerId);
  }

  forget(listenerId: string): void {
    this.rows.delete(listenerId);
  }
}

const isCalm = ({ closed, paused, subscription, nextDue, health }: ListenerRow): boolean =>
  !closed &&
  !paused &&
  !subscription?.ordered &&
  !nextDue &&
  Object.keys(health ?? {}).every((field) => field === 'recent');
