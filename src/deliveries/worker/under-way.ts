import type { LeasedDelivery } from '../queue/delivery-queue.js';
import { addTo } from './counts.js';

/** The lease under which the outcome of an attempt is recorded, and until when, on the monotonic clock in milliseconds. */
export type Held = { lease: string; leasedUntil: number };

type Attempt = {
  readonly listenerId: string;
  readonly orgId: string;
  readonly held: Held;
  readonly beganAt: number;
  isSlow: boolean;
};

/**
 * What a worker has under way. An attempt has a slot, one of its organisation's share; one that turns out to be slow gives
 * it up, so that hooks that hang leave the slots to others. Times are on the monotonic clock, in milliseconds.
 */
export class UnderWay {
  /** How many slots the hooks of each organisation have. */
  readonly slotsOf = new Map<string, number>();
  /** How many attempts each hook has under way. */
  readonly ofHook = new Map<string, number>();
  private readonly attempts = new Map<string, Attempt>(); // in the order in which they began
  private slow = 0;

  constructor(private readonly maxSlow: number) {}

  get size(): number {
    return this.attempts.size;
  }

  get slots(): number {
    return this.attempts.size - this.slow;
  }

  countOf(listenerId: string): number {
    return this.ofHook.get(listenerId) ?? 0;
  }

  /** Hooks with slow attempts while there is no room for more of those: what they would begin would be slow too. */
  tooSlow(): readonly string[] {
    if (this.slow < this.maxSlow) return [];
    return [...this.attempts.values()].flatMap(({ listenerId, isSlow }) => (isSlow ? [listenerId] : []));
  }

  /**
   * Undefined where the delivery is under way already: its lease had run out, by the clock at least, and it has been leased
   * again. The attempt then counts under the new lease, and is not made twice.
   */
  begin({ id, listenerId, orgId, lease }: LeasedDelivery, leasedUntil: number, now: number): Held | undefined {
    const already = this.attempts.get(id);
    if (already) {
      Object.assign(already.held, { lease, leasedUntil });
      return undefined;
    }
    const held = { lease, leasedUntil };
    this.attempts.set(id, { listenerId, orgId, held, beganAt: now, isSlow: false });
    addTo(this.ofHook, listenerId, 1);
    addTo(this.slotsOf, orgId, 1);
    return held;
  }

  /** Takes their slots from the attempts that began before `moment`, as long as there is room for slow ones. Returns from how many. */
  takeSlots(moment: number): number {
    const before = this.slow;
    for (const attempt of this.attempts.values()) {
      if (attempt.beganAt >= moment || this.slow >= this.maxSlow) break;
      if (attempt.isSlow) continue;
      attempt.isSlow = true;
      this.slow += 1;
      addTo(this.slotsOf, attempt.orgId, -1);
    }
    return this.slow - before;
  }

  end({ id, listenerId, orgId }: LeasedDelivery): void {
    const isSlow = this.attempts.get(id)?.isSlow ?? false;
    this.attempts.delete(id);
    addTo(this.ofHook, listenerId, -1);
    if (isSlow) this.slow -= 1;
    else addTo(this.slotsOf, orgId, -1);
  }
}
