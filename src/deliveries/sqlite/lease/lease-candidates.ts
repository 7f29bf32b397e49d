import type { LeasedDelivery } from '../../queue/leasing.js';
import type { OnRollback } from '../group-commit.js';

/** A hook's row; times are the queue's. */
export type HookRow = {
  readonly key: number;
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  readonly previousSecret: string | null;
  readonly ordered: number;
  readonly ratePerSecond: number | null;
  readonly health: string | null;
};

/** A hook and its schedule before deliveries are enqueued for it. */
export type HookBefore = HookRow & { readonly nextDue: number | null; readonly keptBackSince: number | null };

/** A delivery with its message. */
export type DeliveryToLease = Pick<
  LeasedDelivery,
  'id' | 'webhookId' | 'replay' | 'eventId' | 'eventType' | 'body' | 'attempt' | 'enqueuedAt' | 'recordedAt'
>;

export type WaitingDelivery = DeliveryToLease & { readonly dueAt: number };

/** The due deliveries of a hook that are not leased, as a query would find them. */
export type HookCandidates = {
  readonly hook: HookRow;
  /** By their keys, the longest due first. */
  readonly free: ReadonlyMap<number, WaitingDelivery>;
  /** No other delivery of the hook is both due and free before this time, on the queue's clock. */
  readonly completeUntil: number;
};

/** Limits the memory in use. Deliveries beyond them are read from the database. */
const limits = { deliveries: 2_000, characters: 4 * 1_048_576 };

type Entry = HookCandidates & { readonly free: Map<number, WaitingDelivery>; completeUntil: number };

/**
 * The lease candidates of hooks without a change since they were remembered: leasing reads neither deliveries that have just
 * been enqueued nor hooks whose due deliveries are all leased. Every other change of a hook or its deliveries has to
 * invalidate the hook's entry.
 */
export class LeaseCandidates {
  private readonly byHook = new Map<number, Entry>();
  private deliveries = 0;
  private characters = 0;

  /** The number of hooks with an entry. */
  get size(): number {
    return this.byHook.size;
  }

  /** Returns undefined if the database has to be queried. */
  get(hookKey: number, now: number): HookCandidates | undefined {
    const entry = this.byHook.get(hookKey);
    return entry && (entry.free.size > 0 || entry.completeUntil > now) ? entry : undefined;
  }

  /** Remembers that no delivery of the hook is both due and free before `completeUntil`. */
  rememberNoneFree(hook: HookRow, completeUntil: number): void {
    this.invalidate(hook.key);
    this.byHook.set(hook.key, { hook, free: new Map(), completeUntil });
  }

  /** Prepares the entry of a hook for `add`, in a transaction that may roll back. */
  prepare(hook: HookBefore, now: number, onRollback: OnRollback): void {
    const { nextDue, keptBackSince } = hook;
    if (nextDue === null) this.rememberNoneFree(hook, Number.POSITIVE_INFINITY);
    else if (nextDue > now && keptBackSince === null) this.rememberNoneFree(hook, nextDue);
    onRollback(() => this.invalidate(hook.key));
  }

  /** Adds a delivery that is due after all others. `delivery`: undefined if it has to be read from the database. */
  add(hookKey: number, key: number, delivery: WaitingDelivery | undefined, now: number): void {
    const entry = this.byHook.get(hookKey);
    if (!entry || entry.completeUntil <= now) return; // an earlier delivery has to be read from the database
    const isRoom = this.deliveries < limits.deliveries && this.characters < limits.characters;
    if (delivery && isRoom) {
      entry.free.set(key, delivery);
      this.count(1, delivery);
    } else if (entry.free.size > 0) entry.completeUntil = now;
    else this.invalidate(hookKey);
  }

  /** Removes a delivery that is being leased, and returns it. */
  take(hookKey: number, key: number): WaitingDelivery | undefined {
    const entry = this.byHook.get(hookKey);
    const delivery = entry?.free.get(key);
    if (!entry || !delivery) return undefined;
    entry.free.delete(key);
    this.count(-1, delivery);
    return delivery;
  }

  /** Removes the entry of this hook, or all entries. */
  invalidate(hookKey?: number): void {
    if (hookKey === undefined) {
      this.byHook.clear();
      this.deliveries = 0;
      this.characters = 0;
      return;
    }
    const entry = this.byHook.get(hookKey);
    if (!entry) return;
    this.byHook.delete(hookKey);
    for (const delivery of entry.free.values()) this.count(-1, delivery);
  }

  /** Removes the entry of a hook that has no leases any more, if it holds no free delivery. */
  invalidateIfEmpty(hookKey: number): void {
    if (this.byHook.get(hookKey)?.free.size === 0) this.byHook.delete(hookKey);
  }

  private count(sign: 1 | -1, { body }: WaitingDelivery): void {
    this.deliveries += sign;
    this.characters += sign * body.length;
  }
}
