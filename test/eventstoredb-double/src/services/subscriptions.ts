import type { CallFailure } from './call-failure.js';

/** A subscription, as far as the others are concerned. */
type OpenSubscription = { end: (failure?: CallFailure) => void };

/** The subscriptions that are open. */
export class Subscriptions {
  readonly #open = new Set<OpenSubscription>();

  get count(): number {
    return this.#open.size;
  }

  add(subscription: OpenSubscription): void {
    this.#open.add(subscription);
  }

  remove(subscription: OpenSubscription): void {
    this.#open.delete(subscription);
  }

  /** Ends them all, cleanly or with a failure; gives how many there were. */
  end(failure?: CallFailure): number {
    const open = [...this.#open];
    for (const subscription of open) subscription.end(failure);
    return open.length;
  }
}
