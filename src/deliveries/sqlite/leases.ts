export type Held = {
  readonly delivery: number;
  readonly listener: number;
  /** Its hook gets one delivery at a time. */
  readonly ordered: boolean;
  readonly lease: string;
  /** On the monotonic clock. */
  readonly until: number;
  /** Due again after this attempt, whatever comes of it. */
  readonly again: boolean;
};

/**
 * Who works on what. Kept in memory: the service that has the data directory open is the only one that leases, and when it
 * dies its leases are void, so that a restart goes on at once. They end by the monotonic clock: a wall clock that jumps
 * neither ends them early nor keeps them.
 */
export class Leases {
  private readonly byDelivery = new Map<number, Held>();
  private readonly byId = new Map<string, Held>();
  private readonly heldOf = new Map<number, number>();
  /** Hooks with nothing free that is due, and until when on the queue's clock. */
  private readonly nothingFree = new Map<number, number>();
  private issued = 0;

  /** On the monotonic clock, in milliseconds. */
  readonly moment = (): number => performance.now();

  /** Names a new lease. */
  next(): string {
    this.issued += 1;
    return String(this.issued);
  }

  hold(id: string, held: Held): void {
    this.byDelivery.set(held.delivery, held);
    this.byId.set(id, held);
    this.heldOf.set(held.listener, this.countOf(held.listener) + 1);
    this.lookAgain(held.listener);
  }

  drop(id: string): void {
    const held = this.byId.get(id);
    if (!held) return;
    this.byId.delete(id);
    if (this.byDelivery.get(held.delivery) === held) this.byDelivery.delete(held.delivery);
    const left = this.countOf(held.listener) - 1;
    if (left === 0) this.heldOf.delete(held.listener);
    else this.heldOf.set(held.listener, left);
    this.lookAgain(held.listener);
  }

  /** All that is due of a hook is under lease, and nothing else will be before `until` unless something of it changes. */
  noteNothingFree(listener: number, until: number): void {
    this.nothingFree.set(listener, until);
  }

  /** Undefined where that has to be found out. */
  nothingFreeUntil(listener: number): number | undefined {
    return this.nothingFree.get(listener);
  }

  /** Something of this hook has changed, or of any. */
  lookAgain(listener?: number): void {
    if (listener === undefined) this.nothingFree.clear();
    else this.nothingFree.delete(listener);
  }

  /** Has the delivery due again after its attempt, if it is under lease. Returns what undoes that. */
  repeat(id: string): (() => void) | undefined {
    const held = this.byId.get(id);
    if (!held || held.again || held.until <= this.moment()) return undefined;
    this.replace(id, { ...held, again: true });
    return () => this.replace(id, held);
  }

  /** The lease of a delivery, by the delivery's id, if it is that one and has not run out. */
  held(id: string, lease: string): Held | undefined {
    const held = this.byId.get(id);
    return held?.lease === lease && held.until > this.moment() ? held : undefined;
  }

  /** When the lease of a delivery ends; undefined where it is free. */
  until(delivery: number): number | undefined {
    return this.byDelivery.get(delivery)?.until;
  }

  /** When the first of a hook's leases ends; undefined where it has none. */
  firstEnd(listener: number): number | undefined {
    if (this.countOf(listener) === 0) return undefined;
    const ends = [...this.byId.values()].filter((held) => held.listener === listener).map(({ until }) => until);
    return Math.min(...ends);
  }

  countOf(listener: number): number {
    return this.heldOf.get(listener) ?? 0;
  }

  get listeners(): number {
    return this.heldOf.size;
  }

  /** Forgets those that have run out. There are never more leases than workers have slots, so looking at all is cheap. */
  expire(): void {
    const moment = this.moment();
    for (const [id, { until }] of this.byId) if (until <= moment) this.drop(id);
  }

  private replace(id: string, held: Held): void {
    if (this.byId.get(id)?.lease !== held.lease) return;
    this.byId.set(id, held);
    this.byDelivery.set(held.delivery, held);
  }
}
