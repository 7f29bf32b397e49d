import { checkpointsOf, type Enqueued, type FanOutBatch, type FanOutCheckpoint } from '../fan-out-batch.js';
import { type LeasedBatch, type LeaseRequest, type Outcome, passingOver, type Recorded } from '../leasing.js';
import type { CallTime } from '../policy/queue-clock.js';
import type { Facts, StoredQueue } from '../stored-queue.js';
import {
  isRepeatable,
  leasesOf,
  mayBeReady,
  movesOnlyIndependentCheckpoints,
  noFacts,
  splitBatch,
  withoutOrdered,
} from './batch-in-memory.js';
import { MemoryLease } from './memory-lease.js';
import { type Concerns, isOrdered, type Pending, PendingDeliveries } from './pending-deliveries.js';
import { RecentFacts } from './recent-facts.js';
import { requireNotLost, stillHeld, unmoved, WaitingCheckpoints } from './waiting-checkpoints.js';

/** A delivery whose first attempt has not ended is written within two intervals. */
const writeIntervalMs = 1_000;

/**
 * Has deliveries of the fan-out attempted from memory and writes each once, with its outcome; those that cannot be attempted
 * now are written as waiting. For the process that alone attempts these deliveries.
 */
export class FirstAttempts {
  private readonly pending = new PendingDeliveries();
  /** Listeners of the deliveries under way that have rows, by delivery. */
  private readonly rowsUnderWay = new Map<string, string>();
  private readonly memory: MemoryLease;
  private readonly checkpoints = new WaitingCheckpoints();
  /** The next interval writes up to this sequence. */
  private oldSequence = 0;
  private isTicking = false;
  private readonly recent = new RecentFacts();
  /** Changes of rows that are under way, and that have begun or ended. */
  private readonly changes = { underWay: 0, count: 0 };
  private readonly timer = setInterval(() => {
    this.writeOld().catch(() => undefined); // at the next interval
  }, writeIntervalMs).unref();

  constructor(private readonly queue: StoredQueue) {
    this.memory = new MemoryLease(this.pending, this.rowsUnderWay, queue, (first) => this.write(first));
  }

  async enqueue(batch: FanOutBatch, time: CallTime): Promise<Enqueued> {
    if (movesOnlyIndependentCheckpoints(batch) && !this.isAwaited(batch))
      return { added: await this.enqueueRows(batch, time) };
    const kept = this.mayKeep(batch, time) ? await this.keepIfPossible(batch, time) : undefined;
    if (kept !== undefined) return { added: kept };
    return this.alone(async () => ({ added: await this.enqueueRows(batch, time) }));
  }

  async lease(request: LeaseRequest): Promise<LeasedBatch> {
    if (request.onlyNextOf) return this.leaseNextOf(request.onlyNextOf, request);
    const { pending } = this;
    const mustBeRows = request.ratePerSecond !== undefined || (this.recent.areKnown && this.queue.takeForeignWrites());
    if (mustBeRows && pending.size > 0) await this.writePending();
    const { firstDue, seenAfter, seenAt } = this.recent.take();
    const isComplete = pending.watchFree();
    const ofMemory = this.ofMemory(request);
    const gates = this.memory.readGates(ofMemory, seenAfter);
    const rows =
      firstDue > request.now ? noneUntil(firstDue) : await this.queue.lease(this.ofRows(request), pending.since());
    if (!rows) {
      await this.writePending();
      return this.lease(request);
    }
    const leased = await this.memory.beside(rows, ofMemory, { gates: await gates, seenAt });
    if (isComplete()) return leased;
    if (leased.deliveries.length > 0) return { ...leased, nextDueAt: request.now };
    await pending.writing();
    return this.lease(request);
  }

  /** Leases the next deliveries of ordered listeners, in memory or of known rows. */
  private async leaseNextOf(listenerIds: readonly string[], request: LeaseRequest): Promise<LeasedBatch> {
    const { queue, pending } = this;
    const ordered = pending.orderedListeners();
    const inMemory = new Set(listenerIds.filter((listenerId) => ordered.has(listenerId)));
    if (!queue.leaseNextOf || request.ratePerSecond !== undefined) return noneUntil(request.now);
    const [rows, gates] = await Promise.all([
      queue.leaseNextOf(
        listenerIds.filter((listenerId) => !inMemory.has(listenerId)),
        request,
      ),
      this.memory.readGates(request, Number.POSITIVE_INFINITY, inMemory),
    ]);
    const leased = await this.memory.beside(rows, request, { gates, of: inMemory });
    return { ...leased, nextDueAt: leased.deliveries.length === listenerIds.length ? undefined : request.now };
  }

  /** Records outcomes. A listener may be kept back after an attempt that does not succeed: all its deliveries are written. */
  async record(outcomes: readonly Outcome[], time: CallTime): Promise<Recorded> {
    const { pending, rowsUnderWay } = this;
    const ids = outcomes.map(({ id }) => id);
    const succeeded = new Set(outcomes.flatMap(({ id, kind }) => (kind === 'succeeded' ? id : [])));
    pending.dropLost();
    pending.releaseFromLease(succeeded);
    await this.recover(succeeded);
    // Until none is: one whose write has failed may be written again meanwhile.
    for (let writing = pending.writing(ids); writing; writing = pending.writing(ids)) await writing;
    for (const id of ids) pending.forgetLost(id); // the next owner attempts it
    const listenerOf = (id: string) => rowsUnderWay.get(id) ?? pending.find(id)?.delivery.listenerId ?? [];
    const failing = new Set(outcomes.flatMap(({ id, kind }) => (kind === 'succeeded' ? [] : listenerOf(id))));
    const ended = outcomes.flatMap(({ id }) => pending.find(id) ?? []);
    const others = failing.size === 0 ? [] : pending.where(({ delivery }) => failing.has(delivery.listenerId));
    const first = others.length === 0 ? ended : [...new Set([...ended, ...others])];
    const recorded = await pending.without(first, () => this.queue.record(outcomes, time, first), succeeded);
    const areRowsChanged = failing.size > 0 || ended.length < outcomes.length;
    if (areRowsChanged || ended.some(isOrdered)) this.recent.lookAtRows(); // rows may wait behind an ordered one
    this.noteRows(first);
    for (const { id } of outcomes) rowsUnderWay.delete(id);
    return recorded;
  }

  /** Takes lost deliveries in again that have succeeded, unless their listeners have ended: their organisation may have been erased. */
  private async recover(succeeded: ReadonlySet<string>): Promise<void> {
    const { pending } = this;
    const lost = [...succeeded].flatMap((id) => pending.findLost(id) ?? []);
    if (lost.length === 0) return;
    const ended = await this.queue.closedGates(lost.map(({ listener }) => listener.listenerId));
    for (const { delivery, listener } of lost) if (!ended.has(listener.listenerId)) pending.recover(delivery.id);
  }

  /** Reads deliveries after all that the read concerns have rows: those of others stay in memory. */
  async written<Result>(read: () => Promise<Result>, concerns?: Concerns): Promise<Result> {
    if (this.pending.isAny) await this.writePending(this.pending.latestSequence, concerns);
    return read();
  }

  /** Changes rows while nothing is in memory. */
  async alone<Result>(change: () => Promise<Result>): Promise<Result> {
    this.changes.underWay += 1;
    this.changes.count += 1;
    try {
      if (this.pending.isAny) await this.writePending();
      this.queue.takeForeignWrites(); // nothing is in memory that they could affect
      return await change();
    } finally {
      this.changes.underWay -= 1;
      this.changes.count += 1;
      this.recent.lookAtRows();
    }
  }

  async positions(readers: readonly string[], { unwritten = false } = {}): Promise<ReadonlyMap<string, bigint>> {
    const waiting = this.checkpoints.all.filter(({ reader }) => readers.includes(reader));
    if (waiting.length > 0 && !unwritten) await this.writeAll();
    const kept = await this.queue.positions(readers);
    if (!unwritten) return kept;
    const later = stillHeld(waiting).filter(({ reader, position }) => position > (kept.get(reader) ?? position));
    return new Map([...kept, ...later.map(({ reader, position }) => [reader, position] as const)]);
  }

  private writeAll(): Promise<void> {
    return this.writeCheckpoints(this.checkpoints.all);
  }

  async handOver(has: (orgId: string) => boolean, until: number): Promise<void> {
    await this.writeAll();
    await this.queue.postpone?.(has, until);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writeAll().catch(() => undefined); // the fan-out enqueues again what cannot be written now
    await this.queue.close();
  }

  private mayKeep(batch: FanOutBatch, { queueNow }: CallTime): boolean {
    return this.changes.underWay === 0 && isRepeatable(batch) && this.pending.mayTake(batch, queueNow);
  }

  /** Resolves with undefined if the batch has to be written as it is. */
  private async keepIfPossible(batch: FanOutBatch, time: CallTime): Promise<number | undefined> {
    const { pending, queue, changes } = this;
    const { count } = changes;
    const isInOrder = pending.watchOrdered();
    const facts = mayBeReady(batch) ? await queue.facts(batch, time.queueNow) : noFacts;
    if (!facts || changes.count !== count || !pending.mayTake(batch, time.queueNow)) return undefined;
    if (queue.takeForeignWrites() && pending.size > 0) return undefined;
    return this.keepInMemory(batch, isInOrder() ? facts : withoutOrdered(facts), time);
  }

  /** Keeps what can be attempted now in memory, and has the rest enqueued. Returns the number of new deliveries. */
  private async keepInMemory(batch: FanOutBatch, facts: Facts, time: CallTime): Promise<number> {
    const { pending } = this;
    const checkpoints = checkpointsOf(batch);
    const { kept, rest } = splitBatch(batch, facts, pending);
    const ofRest = new Set(rest.deliveries.map(({ listenerId }) => listenerId));
    const earlier = ofRest.size === 0 ? [] : pending.where(({ listener }) => ofRest.has(listener.listenerId));
    const isWaitedFor = kept.length > 0 || pending.isAny;
    const { latestSequence: seenAfter } = pending;
    pending.add(kept, time, leasesOf(batch));
    this.recent.note({ ...facts, seenAfter });
    await this.write(earlier); // they are leased first
    const hasRest = rest.messages.length + rest.deliveries.length > 0;
    let added = kept.length;
    if (hasRest || !isWaitedFor) {
      const checkpoint = isWaitedFor ? checkpoints.map(unmoved) : checkpoints;
      added += await this.enqueueRows({ ...rest, checkpoint }, time);
    }
    if (isWaitedFor) this.checkpoints.add(checkpoints);
    if (hasRest) this.recent.lookAtRows();
    return added;
  }

  /** Enqueues a batch past memory, where nothing waits before its checkpoints. Rejects with `LeaseLost` once one may not move. */
  private async enqueueRows(batch: FanOutBatch, time: CallTime): Promise<number> {
    const moved = checkpointsOf(batch);
    requireNotLost(moved);
    const { added } = await this.queue.enqueue(batch, time);
    this.checkpoints.forget(moved);
    return added;
  }

  /** No row of an ordered listener is attempted beside its deliveries in memory. */
  private ofRows(request: LeaseRequest): LeaseRequest {
    return passingOver([...this.pending.orderedListeners().keys()], request);
  }

  /** `leaseNextOf` leases the next delivery of an ordered listener that is busy now: its gate is not read, though it may be free soon. */
  private ofMemory(request: LeaseRequest): LeaseRequest {
    if (!this.queue.leaseNextOf) return request;
    const listeners = [...this.pending.orderedListeners()];
    return passingOver(
      listeners.flatMap(([listenerId, { isBusy }]) => (isBusy ? listenerId : [])),
      request,
    );
  }

  /** A checkpoint of one of these readers waits for deliveries in memory. */
  private isAwaited(batch: FanOutBatch): boolean {
    const readers = new Set(checkpointsOf(batch).map(({ reader }) => reader));
    return this.checkpoints.all.some(({ reader }) => readers.has(reader));
  }

  /** Resolves once the deliveries up to the sequence have rows, by default all that there are now; `concerns`: some of them. */
  private async writePending(upTo = this.pending.latestSequence, concerns: Concerns = () => true): Promise<void> {
    const { pending } = this;
    pending.dropLost();
    while (pending.firstSequence(concerns) <= upTo) {
      const some = pending.where(({ sequence, delivery }) => sequence <= upTo && concerns(delivery));
      await this.write(pending.withOthersOfOrdered(some));
      await pending.writing(); // what could not be written is back
    }
  }

  private async writeCheckpoints(moved: readonly FanOutCheckpoint[], upTo?: number): Promise<void> {
    await this.writePending(upTo);
    const held = stillHeld(moved);
    if (held.length > 0) await this.queue.moveCheckpoints(held);
    this.checkpoints.forget(moved);
  }

  private async writeOld(): Promise<void> {
    if (this.isTicking) return;
    this.isTicking = true;
    try {
      const { pending, checkpoints } = this;
      const { isAny, latestSequence } = pending;
      const { all, ofLastInterval } = checkpoints;
      await this.writeCheckpoints(isAny ? ofLastInterval : all, this.oldSequence);
      this.oldSequence = latestSequence;
      if (isAny) checkpoints.grow(all);
    } finally {
      this.isTicking = false;
    }
  }

  private async write(first: readonly Pending[]): Promise<void> {
    if (first.length === 0) return;
    await this.pending.without(first, () => this.queue.write(first));
    this.recent.lookAtRows();
    this.noteRows(first);
  }

  private noteRows(first: readonly Pending[]): void {
    for (const { delivery, isUnderWay } of first) {
      if (isUnderWay) this.rowsUnderWay.set(delivery.id, delivery.listenerId);
    }
  }
}

const noneUntil = (dueAt: number): LeasedBatch => ({
  deliveries: [],
  nextDueAt: dueAt === Number.POSITIVE_INFINITY ? undefined : dueAt,
});
