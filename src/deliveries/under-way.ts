import type { LeasedDelivery } from './delivery-queue.js';

/** The lease under which the outcome of an attempt is recorded, and until when, on the monotonic clock in milliseconds. */
export type Held = { lease: string; leasedUntil: number };

/** What a worker has under way. */
export class UnderWay {
  /** How many of each hook, and of each organisation. */
  readonly byListener = new Map<string, number>();
  readonly byOrganisation = new Map<string, number>();
  private readonly held = new Map<string, Held>();

  get size(): number {
    return this.held.size;
  }

  /**
   * Undefined where the delivery is under way already: its lease had run out, by the clock at least, and it has been leased
   * again. The attempt then counts under the new lease, and is not made twice.
   */
  begin({ id, listenerId, orgId, lease }: LeasedDelivery, leasedUntil: number): Held | undefined {
    const already = this.held.get(id);
    if (already) {
      Object.assign(already, { lease, leasedUntil });
      return undefined;
    }
    const held = { lease, leasedUntil };
    this.held.set(id, held);
    add(this.byListener, listenerId, 1);
    add(this.byOrganisation, orgId, 1);
    return held;
  }

  end({ id, listenerId, orgId }: LeasedDelivery): void {
    this.held.delete(id);
    add(this.byListener, listenerId, -1);
    add(this.byOrganisation, orgId, -1);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
