import type { Looks } from './looks.js';

export type Held = {
  readonly id: string;
  readonly delivery: number;
  readonly listener: number;
  /** Its hook gets one delivery at a time. */
  readonly ordered: boolean;
  readonly lease: string;
  /** On the monotonic clock. */
  readonly until: number;
  /** When it was due, in the queue's time. Where it is due at another time by now, another process has asked for it again. */
  readonly dueAt: number;
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
  private issued = 0;

  constructor(private readonly looks: Pick<Looks, 'forget' | 'forgetEmpty'>) {}

  /** On the monotonic clock, in milliseconds. */
  readonly moment = (): number => performance.now();

  /** Names a new lease. */
  next(): string {
    this.issued += 1;
    return String(this.issued);
  }

  hold(held: Held): void {
    this.byDelivery.set(held.delivery, held);
    this.byId.set(held.id, held);
    this.heldOf.set(held.listener, this.countOf(held.listener) + 1);
  }

  /** `ended`: the delivery is at an end, so nothing of its hook has become free. */
  drop(id: string, { ended = false }: { readonly ended?: boolean } = {}): void {
    const held = this.byId.get(id);
    if (!held) return;
    this.byId.delete(id);
    if (this.byDelivery.get(held.delivery) === held) this.byDelivery.delete(held.delivery);
    const left = this.countOf(held.listener) - 1;
    if (left === 0) this.heldOf.delete(held.listener);
    else this.heldOf.set(held.listener, left);
    if (!ended) this.looks.forget(held.listener);
    else if (left === 0) this.looks.forgetEmpty(held.listener);
  }

  /** Has the delivery due again after its attempt, if it is under lease. Returns what undoes that. */
  repeat(id: string): (() => void) | undefined {
    const held = this.byId.get(id);
    if (!held || held.again || held.until <= this.moment()) return undefined;
    this.replace({ ...held, again: true });
    return () => this.replace(held);
  }

  /** What is under lease of a hook was made due anew, for the attempts that are under way. Returns what undoes that. */
  renewDue(listener: number, dueAt: number): () => void {
    const held = [...this.byId.values()].filter((each) => each.listener === listener);
    for (const each of held) this.replace({ ...each, dueAt });
    return () => {
      for (const each of held) this.replace(each);
    };
  }

  /** The lease of a delivery, by the delivery's id, if it is that one and has not run out. */
  held(id: string, lease: string): Held | undefined {
    const held = this.byId.get(id);
    return held?.lease === lease && held.until > this.moment() ? held : undefined;
  }

  /** The delivery is forgotten. Returns what undoes that, if somebody works on it. */
  forget(delivery: number): (() => void) | undefined {
    const held = this.byDelivery.get(delivery);
    if (!held) return undefined;
    this.drop(held.id);
    return () => this.hold(held);
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

  private replace(held: Held): void {
    if (this.byId.get(held.id)?.lease !== held.lease) return;
    this.byId.set(held.id, held);
    this.byDelivery.set(held.delivery, held);
  }
}
