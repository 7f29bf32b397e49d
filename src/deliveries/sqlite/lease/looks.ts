import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import type { OnRollback } from '../grouped-calls.js';

/** What a hook is; times are the queue's. */
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

/** A hook with its schedule, before something is enqueued for it. */
export type HookBefore = HookRow & { readonly nextDue: number | null; readonly keptBackSince: number | null };

/** A delivery, and its message. */
export type DeliveryToLease = Pick<
  LeasedDelivery,
  'id' | 'webhookId' | 'replay' | 'eventId' | 'eventType' | 'body' | 'attempt' | 'enqueuedAt' | 'recordedAt'
>;

/** One that waits. */
export type WaitingDelivery = DeliveryToLease & { readonly dueAt: number };

/** What looking at a hook's deliveries would find. */
export type Look = {
  readonly hook: HookRow;
  /** By their keys: they are due and nobody works on them, the longest due first. */
  readonly free: ReadonlyMap<number, WaitingDelivery>;
  /** Nothing else of the hook is both due and free before that, on the queue's clock. */
  readonly until: number;
};

/** What is remembered at most. */
const most = { deliveries: 2_000, characters: 4 * 1_048_576 };

type Remembered = Look & { readonly free: Map<number, WaitingDelivery>; until: number };

/**
 * What looking at hooks would find, for those of which nothing has changed since: so that leasing reads nothing of what has
 * just been enqueued, or of hooks with all that is due under lease. Whoever changes anything else of a hook's deliveries, or
 * of the hook, has its look forgotten.
 */
export class Looks {
  private readonly byHook = new Map<number, Remembered>();
  private deliveries = 0;
  private characters = 0;

  /** Of how many hooks something is remembered. */
  get size(): number {
    return this.byHook.size;
  }

  /** Undefined where one has to look. */
  of(hook: number, now: number): Look | undefined {
    const look = this.byHook.get(hook);
    return look && (look.free.size > 0 || look.until > now) ? look : undefined;
  }

  /** All that is due of the hook is under lease. */
  noteNothingFree(hook: HookRow, until: number): void {
    this.forget(hook.key);
    this.byHook.set(hook.key, { hook, free: new Map(), until });
  }

  /** Something of the hook is about to become due, in a transaction that may fail. */
  expect(hook: HookBefore, now: number, onRollback: OnRollback): void {
    const { nextDue, keptBackSince } = hook;
    if (nextDue === null) this.noteNothingFree(hook, Number.POSITIVE_INFINITY);
    else if (nextDue > now && keptBackSince === null) this.noteNothingFree(hook, nextDue);
    onRollback(() => this.forget(hook.key));
  }

  /** It has become due, last of all. `delivery`: undefined where it is not at hand, and has to be read. */
  cameDue(hook: number, key: number, delivery: WaitingDelivery | undefined, now: number): void {
    const look = this.byHook.get(hook);
    if (!look || look.until <= now) return; // it comes after something that has to be looked for
    const isRoom = this.deliveries < most.deliveries && this.characters < most.characters;
    if (delivery && isRoom) {
      look.free.set(key, delivery);
      this.count(1, delivery);
    } else if (look.free.size > 0) look.until = now;
    else this.forget(hook);
  }

  /** It is under lease now. */
  take(hook: number, key: number): WaitingDelivery | undefined {
    const look = this.byHook.get(hook);
    const delivery = look?.free.get(key);
    if (!look || !delivery) return undefined;
    look.free.delete(key);
    this.count(-1, delivery);
    return delivery;
  }

  /** Something of this hook has changed, or of any. */
  forget(hook?: number): void {
    if (hook === undefined) {
      this.byHook.clear();
      this.deliveries = 0;
      this.characters = 0;
      return;
    }
    const look = this.byHook.get(hook);
    if (!look) return;
    this.byHook.delete(hook);
    for (const delivery of look.free.values()) this.count(-1, delivery);
  }

  /** Nobody works for this hook any more: where nothing of it is free, there is nothing to remember. */
  forgetEmpty(hook: number): void {
    if (this.byHook.get(hook)?.free.size === 0) this.byHook.delete(hook);
  }

  private count(sign: 1 | -1, { body }: WaitingDelivery): void {
    this.deliveries += sign;
    this.characters += sign * body.length;
  }
}
