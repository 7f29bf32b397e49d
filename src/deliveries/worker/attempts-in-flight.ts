import type { LeasedDelivery } from '../queue/leasing.js';

type Attempt = {
  listenerId: string;
  orgId: string;
  beganAt: number;
  isSlow: boolean;
};

/** Time after which an attempt is slow. */
export const slowAfterMs = 1_000;
export const checkSlowMs = 250;

/**
 * Each attempt uses a concurrency slot of the worker and of its organisation. A slow attempt releases it, so that
 * listeners that hang leave slots to others. Times are monotonic milliseconds.
 */
export class AttemptsInFlight {
  readonly slotsByOrganisation = new Map<string, number>();
  readonly attemptsByListener = new Map<string, number>();
  private readonly attempts = new Map<string, Attempt>(); // in the order in which they began
  private slow = 0;
  private readonly awaitingIdle: (() => void)[] = [];

  constructor(private readonly maxSlow: number) {}

  get size(): number {
    return this.attempts.size;
  }

  get slotsInUse(): number {
    return this.attempts.size - this.slow;
  }

  countOf(listenerId: string): number {
    return this.attemptsByListener.get(listenerId) ?? 0;
  }

  /** Listeners with slow attempts, once slow attempts are at their maximum: further ones would be slow too. */
  listenersAtSlowLimit(): readonly string[] {
    if (this.slow < this.maxSlow) return [];
    return [...this.attempts.values()].flatMap(({ listenerId, isSlow }) => (isSlow ? [listenerId] : []));
  }

  begin({ id, listenerId, orgId }: LeasedDelivery, now: number): void {
    this.attempts.set(id, { listenerId, orgId, beganAt: now, isSlow: false });
    addTo(this.attemptsByListener, listenerId, 1);
    addTo(this.slotsByOrganisation, orgId, 1);
  }

  /** Returns the number of released slots. */
  releaseSlowSlots(moment: number): number {
    const before = this.slow;
    for (const attempt of this.attempts.values()) {
      if (attempt.beganAt >= moment || this.slow >= this.maxSlow) break;
      if (attempt.isSlow) continue;
      attempt.isSlow = true;
      this.slow += 1;
      addTo(this.slotsByOrganisation, attempt.orgId, -1);
    }
    return this.slow - before;
  }

  end({ id, listenerId, orgId }: LeasedDelivery): void {
    const isSlow = this.attempts.get(id)?.isSlow ?? false;
    this.attempts.delete(id);
    addTo(this.attemptsByListener, listenerId, -1);
    if (isSlow) this.slow -= 1;
    else addTo(this.slotsByOrganisation, orgId, -1);
    if (this.size === 0) for (const resolve of this.awaitingIdle.splice(0)) resolve();
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.size === 0) resolve();
      else this.awaitingIdle.push(resolve);
    });
  }
}

export function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
