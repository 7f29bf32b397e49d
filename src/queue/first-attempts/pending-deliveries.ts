import type { Message, NewDelivery } from '../delivery.js';
import { type FanOutBatch, isLost, type ReaderLease } from '../fan-out-batch.js';
import type { LeasedDelivery } from '../leasing.js';
import type { CallTime } from '../policy/queue-clock.js';
import { type FirstDelivery, type FirstListener, messageName, neverWritten } from '../stored-queue.js';

/** A flow event with the number of its pending deliveries. */
export type PendingEvent = { name: string; message: Message; deliveries: number };

/** `sequence` increases with each delivery. */
export type Pending = FirstDelivery & {
  event: PendingEvent;
  listener: FirstListener;
  sequence: number;
  /** Lease of its reader; undefined: no other instance may have it. */
  lease: ReaderLease | undefined;
};

/** No other instance may have it. */
export const isHeld = ({ lease }: Pick<Pending, 'lease'>): boolean => lease?.isHeld() ?? true;

export const isOrdered = ({ listener }: Pick<Pending, 'listener'>): boolean => listener.subscription.ordered;

/** Selects deliveries that a read concerns. */
export type Concerns = (delivery: NewDelivery) => boolean;

/** `isBusy`: a delivery is under way or being written. `lastPosition`: of the latest flow event. */
type OrderedListener = { isBusy: boolean; lastPosition: bigint };

export type Kept = Pick<Pending, 'delivery' | 'event' | 'listener'>;

type Writing = { one: Pending; settled: Promise<unknown>; isSuccess: boolean };

/** 8 MiB: a character has 2 bytes. */
const limits = { deliveries: 2_000, characters: 4 * 1_048_576 };

/**
 * Deliveries in memory, in the order of their arrival, with their flow events. A delivery that is being written is neither here nor a row,
 * and nothing locks the two: a caller that reads rows beside memory watches the writes meanwhile (`watchFree`, `watchOrdered`).
 * `latestSequence`, taken before an await, tells the deliveries that were here then from later ones.
 */
export class PendingDeliveries {
  private byId = new Map<string, Pending>();
  private readonly events = new Map<string, PendingEvent>();
  /** Deliveries that are being written: neither here nor rows. */
  private readonly inWriting = new Map<string, Writing>();
  /** Deliveries under way whose readers have lost their leases: only their success is written. */
  private readonly lost = new Map<string, Pending>();
  /** Number of writes so far of deliveries that were not under way. */
  private freeWrites = 0;
  /** Number of writes so far of deliveries of ordered listeners without a success. */
  private orderedWrites = 0;
  private characters = 0;
  /** Number of deliveries of ordered listeners, here or being written. */
  private ordered = 0;
  private lastDueAt = 0;
  private sequence = 0;

  get size(): number {
    return this.byId.size;
  }

  /** Also if all are being written. */
  get isAny(): boolean {
    return this.byId.size + this.inWriting.size > 0;
  }

  /** Sequence of the delivery that was added last. */
  get latestSequence(): number {
    return this.sequence;
  }

  all(): Iterable<Pending> {
    return this.byId.values();
  }

  where(isWanted: (one: Pending) => boolean): readonly Pending[] {
    return [...this.byId.values()].filter(isWanted);
  }

  find(id: string): Pending | undefined {
    return this.byId.get(id);
  }

  /** Puts a delivery under the lease that its reader has now. Returns whether there is one, also if it is being written. */
  isUnder(leases: readonly ReaderLease[], { id, orgId }: NewDelivery): boolean {
    this.recover(id);
    const one = this.byId.get(id) ?? this.inWriting.get(id)?.one;
    if (one) one.lease = leaseOf(leases, orgId);
    return one !== undefined;
  }

  /** The pending event of a message, or a new one. */
  eventOf(message: Message): PendingEvent {
    const name = messageName(message);
    return this.events.get(name) ?? { name, message, deliveries: 0 };
  }

  /** Due time of the first that is not under way, infinite if all are; undefined: there is none. */
  since(): number | undefined {
    if (this.byId.size === 0) return undefined;
    for (const { isUnderWay, dueAt } of this.byId.values()) if (!isUnderWay) return dueAt;
    return Number.POSITIVE_INFINITY;
  }

  /** First sequence of those concerned, here or being written; infinite if there is none. */
  firstSequence(concerns: Concerns): number {
    let sequence = Number.POSITIVE_INFINITY;
    for (const one of this.byId.values()) {
      if (!concerns(one.delivery)) continue;
      sequence = one.sequence;
      break;
    }
    for (const { one } of this.inWriting.values()) {
      if (concerns(one.delivery)) sequence = Math.min(sequence, one.sequence);
    }
    return sequence;
  }

  /** Watches the writes of deliveries that are not under way, from before a read of rows: tells after it whether none has become a row. */
  watchFree(): () => boolean {
    return this.watchWrites(
      ({ one }) => !one.isUnderWay,
      () => this.freeWrites,
    );
  }

  /** Does so for those of ordered listeners without a success: a later one may not be kept in memory behind them. */
  watchOrdered(): () => boolean {
    return this.watchWrites(
      ({ one, isSuccess }) => isOrdered(one) && !isSuccess,
      () => this.orderedWrites,
    );
  }

  /** None was being written before, none is now, and none was meanwhile. */
  private watchWrites(isWatched: (writing: Writing) => boolean, writes: () => number): () => boolean {
    const isWriting = () => [...this.inWriting.values()].some(isWatched);
    const [wasWriting, before] = [isWriting(), writes()];
    return () => !wasWriting && !isWriting() && writes() === before;
  }

  /** Resolves once the writes under way have ended, or those of some deliveries, well or not; undefined: there is none. */
  writing(ids?: readonly string[]): Promise<unknown> | undefined {
    if (this.inWriting.size === 0) return undefined;
    const some = ids ? ids.flatMap((id) => this.inWriting.get(id) ?? []) : [...this.inWriting.values()];
    return some.length === 0 ? undefined : Promise.all(new Set(some.map(({ settled }) => settled)));
  }

  /** True if the batch is in the order of queue time, within the limits, and has no flow event at another position than before. */
  mayTake({ messages, deliveries }: FanOutBatch, dueAt: number): boolean {
    if (this.byId.size > 0 && dueAt < this.lastDueAt) return false;
    const characters = messages.reduce((sum, { body }) => sum + (body?.length ?? 0), this.characters);
    const size = this.byId.size + this.inWriting.size;
    if (size + deliveries.length > limits.deliveries || characters > limits.characters) return false;
    return messages.every((message) => {
      const known = this.events.get(messageName(message));
      return !known || known.message.position === message.position;
    });
  }

  add(kept: readonly Kept[], { now, queueNow }: CallTime, leases: readonly ReaderLease[]): void {
    this.lastDueAt = queueNow;
    for (const { delivery, event, listener } of kept) {
      this.sequence += 1;
      this.put({
        delivery,
        event,
        listener,
        message: event.message,
        enqueuedAt: now,
        dueAt: queueNow,
        isUnderWay: false,
        sequence: this.sequence,
        lease: leaseOf(leases, delivery.orgId),
      });
    }
  }

  /** Adds all others of their ordered listeners, which must not be attempted before them. */
  withOthersOfOrdered(first: readonly Pending[]): readonly Pending[] {
    const ordered = new Set(first.filter(isOrdered).map(({ listener }) => listener.listenerId));
    if (ordered.size === 0) return first;
    const chosen = new Set(first);
    return [...first, ...this.where((one) => ordered.has(one.listener.listenerId) && !chosen.has(one))];
  }

  /** Ordered listeners of which a delivery is here or being written. */
  orderedListeners(): ReadonlyMap<string, OrderedListener> {
    const listeners = new Map<string, OrderedListener>();
    if (this.ordered === 0) return listeners;
    const note = (one: Pending, isBusy: boolean) => {
      if (!isOrdered(one)) return;
      const { listenerId } = one.listener;
      const { position } = one.message;
      const { isBusy: wasBusy = false, lastPosition = position } = listeners.get(listenerId) ?? {};
      const last = position > lastPosition ? position : lastPosition;
      listeners.set(listenerId, { isBusy: isBusy || wasBusy, lastPosition: last });
    };
    for (const one of this.byId.values()) note(one, one.isUnderWay);
    for (const { one } of this.inWriting.values()) note(one, true);
    return listeners;
  }

  /**
   * Takes deliveries out while they are written; those that cannot be written come back in their order. `succeeded`: IDs of those that
   * are written with their success.
   */
  without<Result>(
    first: readonly Pending[],
    write: () => Promise<Result>,
    succeeded: ReadonlySet<string> = new Set(),
  ): Promise<Result> {
    if (first.length === 0) return write();
    if (first.some(({ isUnderWay }) => !isUnderWay)) this.freeWrites += 1;
    if (first.some((one) => isOrdered(one) && !succeeded.has(one.delivery.id))) this.orderedWrites += 1;
    for (const { delivery } of first) this.byId.delete(delivery.id);
    const end = (isWritten: boolean) => {
      for (const { delivery } of first) this.inWriting.delete(delivery.id);
      if (isWritten) for (const one of first) this.drop(one);
      else this.putBack(first);
    };
    const written = write().then(
      (result) => {
        end(true);
        return result;
      },
      (error: unknown) => {
        end(false);
        throw error;
      },
    );
    const settled = written.catch(() => undefined);
    for (const one of first) {
      const isSuccess = succeeded.has(one.delivery.id);
      this.inWriting.set(one.delivery.id, { one, settled, isSuccess });
    }
    return written;
  }

  /** Forgets those that another instance has, or will have, until the outcome of those under way. */
  dropLost(): void {
    for (const one of this.where(({ lease }) => lease !== undefined && isLost(lease))) {
      this.byId.delete(one.delivery.id);
      this.drop(one);
      if (one.isUnderWay) this.lost.set(one.delivery.id, one);
    }
  }

  /** Takes deliveries that have succeeded off their lease: they stay also if their readers lose it before that is written. */
  releaseFromLease(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const one = this.byId.get(id) ?? this.inWriting.get(id)?.one;
      if (one) one.lease = undefined;
    }
  }

  /** Takes a lost delivery in again: its reader has another lease, or it has succeeded. */
  recover(id: string): void {
    const one = this.lost.get(id);
    if (!one) return;
    this.lost.delete(id);
    one.lease = undefined;
    this.count(one);
    this.putBack([one]);
  }

  findLost(id: string): Pending | undefined {
    return this.lost.get(id);
  }

  forgetLost(id: string): void {
    this.lost.delete(id);
  }

  private putBack(first: readonly Pending[]): void {
    for (const one of first) this.byId.set(one.delivery.id, one);
    this.byId = new Map([...this.byId].sort(([, one], [, other]) => one.sequence - other.sequence));
  }

  private put(one: Pending): void {
    this.byId.set(one.delivery.id, one);
    this.count(one);
  }

  private count(one: Pending): void {
    const { event } = one;
    if (isOrdered(one)) this.ordered += 1;
    event.deliveries += 1;
    if (event.deliveries > 1) return;
    this.events.set(event.name, event);
    this.characters += event.message.body?.length ?? 0;
  }

  private drop(one: Pending): void {
    const { event } = one;
    if (isOrdered(one)) this.ordered -= 1;
    event.deliveries -= 1;
    if (event.deliveries > 0) return;
    this.events.delete(event.name);
    this.characters -= event.message.body?.length ?? 0;
  }
}

const leaseOf = (leases: readonly ReaderLease[], orgId: string): ReaderLease | undefined =>
  leases.find(({ has }) => has(orgId));

export const firstAttempt = ({ delivery, message, listener, enqueuedAt }: Pending): LeasedDelivery => ({
  asRead: neverWritten,
  listenerId: listener.listenerId,
  orgId: listener.orgId,
  hookUrl: listener.hookUrl,
  subscription: listener.subscription,
  secret: listener.secret,
  id: delivery.id,
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  eventType: message.type,
  body: message.body ?? '',
  attempt: 1,
  enqueuedAt,
  recordedAt: message.recordedAt,
  ...(message.traceparent !== undefined && { traceparent: message.traceparent }),
});
