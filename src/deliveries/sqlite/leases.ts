type Held = { readonly delivery: number; readonly listener: number; readonly lease: string; readonly until: number };

/**
 * Who works on what. Kept in memory: the service that has the data directory open is the only one that leases, and when it
 * dies its leases are void, so that a restart goes on at once.
 */
export class Leases {
  private readonly byDelivery = new Map<number, Held>();
  private readonly byId = new Map<string, Held>();
  private readonly heldOf = new Map<number, number>();
  private issued = 0;

  /** Names a new lease. */
  next(): string {
    this.issued += 1;
    return String(this.issued);
  }

  hold(id: string, held: Held): void {
    this.byDelivery.set(held.delivery, held);
    this.byId.set(id, held);
    this.heldOf.set(held.listener, this.countOf(held.listener) + 1);
  }

  drop(id: string): void {
    const held = this.byId.get(id);
    if (!held) return;
    this.byId.delete(id);
    this.byDelivery.delete(held.delivery);
    const left = this.countOf(held.listener) - 1;
    if (left === 0) this.heldOf.delete(held.listener);
    else this.heldOf.set(held.listener, left);
  }

  /** The lease of a delivery, by the delivery's id, if it is that one and has not run out. */
  held(id: string, lease: string, now: number): Held | undefined {
    const held = this.byId.get(id);
    return held?.lease === lease && held.until > now ? held : undefined;
  }

  /** When the lease of a delivery ends; undefined where it is free. */
  until(delivery: number): number | undefined {
    return this.byDelivery.get(delivery)?.until;
  }

  countOf(listener: number): number {
    return this.heldOf.get(listener) ?? 0;
  }

  get listeners(): number {
    return this.heldOf.size;
  }

  /** Forgets those that have run out. There are never more leases than workers have slots, so looking at all is cheap. */
  expire(now: number): void {
    for (const [id, { until }] of this.byId) if (until <= now) this.drop(id);
  }
}
