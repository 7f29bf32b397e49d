import type { CallFailure } from './call-failure.js';
import type { Subscription } from './subscription.js';

/** The subscriptions that are open. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();

  get count(): number {
    return this.#open.size;
  }

  add(subscription: Subscription): void {
    this.#open.add(subscription);
  }

  remove(subscription: Subscription): void {
    this.#open.delete(subscription);
  }

  /** Ends them all, cleanly or with a failure; gives how many there were. */
  end(failure?: CallFailure): number {
    const open = [...this.#open];
    for (const subscription of open) subscription.end(failure);
    return open.length;
  }
}
