import { keyedMutex } from '../../kernel/keyed-mutex.js';
import type { NewDelivery } from './delivery.js';
import type { EventsQuery } from './delivery-log.js';
import {
  CheckpointLost,
  checkpointsOf,
  type Enqueued,
  type FanOutBatch,
  type FanOutCheckpoint,
  type LeasedBatch,
  type LeaseRequest,
  type Outcome,
  type Recorded,
} from './leasing.js';
import type { QueueOnItsTime } from './on-queue-time.js';
import { firstAttempt, type Kept, type Pending, PendingDeliveries, type PendingEvent } from './pending-deliveries.js';
import { LeaseRoom } from './policy/lease-room.js';
import type { CallTime } from './policy/queue-clock.js';
import { type Facts, messageName, type StoredQueue } from './stored-queue.js';

/** A delivery whose first attempt has not ended is written within two intervals. */
const writeIntervalMs = 1_000;

/** Calls that read or change deliveries: all are written before. */
const callsOnRows = [
  'positions',
  'counts',
  'attempts',
  'deliveries',
  'exhausted',
  'body',
  'redeliver',
  'withdraw',
  'forget',
] as const;

/** Repeated often by an open page. */
const mayMissNewest = (query: EventsQuery): boolean => !('eventId' in query || 'upTo' in query);

/**
 * Has deliveries of the fan-out attempted from memory and writes each once, with its outcome; those that cannot be attempted
 * now are written as waiting. For the one process that attempts the deliveries of the queue.
 */
export function withFirstAttempts(queue: StoredQueue): QueueOnItsTime {
  const first = new FirstAttempts(queue);
  const eventsAfterWriting = first.afterWriting(queue.events);
  return {
    ...queue,
    ...Object.fromEntries(callsOnRows.map((name) => [name, first.afterWriting(queue[name] as Call)])),
    events: (query) => (mayMissNewest(query) ? queue.events(query) : eventsAfterWriting(query)),
    enqueue: (...batch) => first.enqueue(...batch),
    lease: (request) => first.lease(request),
    record: (...outcomes) => first.record(...outcomes),
    close: () => first.close(),
  };
}

type Call = (...args: never[]) => Promise<unknown>;

/** `firstDue`: due time of the first row; undefined if rows were added. */
type Taken = { added: number; firstDue?: number };

class FirstAttempts {
  private readonly pending = new PendingDeliveries();
  /** Listeners of the deliveries under way that have rows, by delivery. */
  private readonly rowsUnderWay = new Map<string, string>();
  /** Checkpoints that wait for pending deliveries: `old` for those of the last interval, `young` for all. */
  private checkpoints: { old?: FanOutCheckpoint; young?: FanOutCheckpoint } = {};
  /** The next interval writes up to this sequence. */
  private oldSequence = 0;
  private readonly oneAtATime = keyedMutex();
  private readonly timer = setInterval(() => {
    this.inTurn(() => this.writeOld()).catch(() => undefined); // at the next interval
  }, writeIntervalMs).unref();

  constructor(private readonly queue: StoredQueue) {}

  async enqueue(batch: FanOutBatch, time: CallTime, request?: LeaseRequest): Promise<Enqueued> {
    const { taken } = await this.inTurn(async () => {
      const follows = followedBy(batch);
      const facts = follows && (await this.factsOf(batch, follows, time));
      if (facts) return { taken: await this.take(batch, facts, time) };
      if (!this.isAllWritten) await this.writeAll();
      return { taken: this.queue.enqueue(batch, time) }; // in its order, and not awaited: it may take long
    });
    const { added, firstDue }: Taken = await taken;
    return { added, ...(request && { lease: await this.lease(request, firstDue) }) };
  }

  /** `firstDue`: see `Taken`. */
  async lease(request: LeaseRequest, firstDue = Number.NEGATIVE_INFINITY): Promise<LeasedBatch> {
    const { pending } = this;
    if (request.ratePerSecond !== undefined && pending.size > 0) await this.inTurn(() => this.writeAll()); // a rate applies to rows
    const rows = firstDue > request.now ? noneUntil(firstDue) : await this.queue.lease(request, pending.since());
    for (const { id, listenerId } of rows?.deliveries ?? []) this.rowsUnderWay.set(id, listenerId);
    const leased = rows && this.addFromMemory(request, rows);
    if (leased && !pending.isWriting) return leased;
    if (leased && leased.deliveries.length > 0) return { ...leased, nextDueAt: request.now };
    await this.inTurn(async () => (rows ? undefined : this.writeAll()));
    return this.lease(request);
  }

  /** After an attempt that does not succeed, the listener may be kept back: all its deliveries are written. */
  record(outcomes: readonly Outcome[], time: CallTime): Promise<Recorded> {
    const { pending, rowsUnderWay } = this;
    const listenerOf = (id: string) => rowsUnderWay.get(id) ?? pending.find(id)?.delivery.listenerId ?? [];
    return this.inTurn(async () => {
      const failing = new Set(outcomes.flatMap(({ id, kind }) => (kind === 'succeeded' ? [] : listenerOf(id))));
      const ended = outcomes.flatMap(({ id }) => pending.find(id) ?? []);
      const others = failing.size === 0 ? [] : pending.where(({ delivery }) => failing.has(delivery.listenerId));
      const first = others.length === 0 ? ended : [...new Set([...ended, ...others])];
      const recorded = await pending.without(first, () => this.queue.record(outcomes, time, first));
      this.noteRows(first);
      for (const { id } of outcomes) rowsUnderWay.delete(id);
      return recorded;
    });
  }

  afterWriting<Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) {
    return async (...args: Args): Promise<Result> => {
      const { result } = await this.inTurn(async () => {
        if (!this.isAllWritten) await this.writeAll();
        return { result: call(...args) }; // as in `enqueue`
      });
      return result;
    };
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.inTurn(() => this.writeAll()).catch(() => undefined); // the fan-out enqueues again what cannot be written now
    await this.queue.close();
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.oneAtATime('', work);
  }

  private async factsOf(batch: FanOutBatch, { reader }: FanOutCheckpoint, { queueNow }: CallTime) {
    const { pending, queue } = this;
    if (!pending.mayTake(batch, queueNow)) return undefined;
    const { position, listeners, ...facts } = await queue.facts(batch, reader, queueNow);
    if (position === undefined) throw new CheckpointLost(reader);
    if (!listeners || (queue.changedOutside() && pending.size > 0)) return undefined;
    return { ...facts, position, listeners };
  }

  /** Keeps what can be attempted now in memory, and has the rest enqueued. */
  private async take(batch: FanOutBatch, facts: KnownFacts, time: CallTime): Promise<Taken> {
    const { pending } = this;
    const [follows] = checkpointsOf(batch) as [FanOutCheckpoint];
    const { kept, rest } = split(batch, facts, pending);
    const ofRest = new Set(rest.deliveries.map(({ listenerId }) => listenerId));
    const earlier = ofRest.size === 0 ? [] : pending.where(({ listener }) => ofRest.has(listener.listenerId));
    if (earlier.length > 0) await this.write(earlier, undefined); // they are leased first
    const isWaitedFor = kept.length + pending.size > 0;
    const hasRest = rest.messages.length + rest.deliveries.length > 0;
    let added = kept.length;
    if (hasRest || !isWaitedFor) {
      const checkpoint = isWaitedFor ? { ...follows, position: facts.position } : follows;
      added += (await this.queue.enqueue({ ...rest, checkpoint }, time)).added;
    }
    pending.add(kept, time);
    this.checkpoints = isWaitedFor ? { ...this.checkpoints, young: follows } : {};
    return { added, ...(rest.deliveries.length === 0 && { firstDue: facts.firstDue }) };
  }

  /** Adds deliveries from memory, the longest waiting first, as far as there is room beside the rows. */
  private addFromMemory(request: LeaseRequest, rows: LeasedBatch): LeasedBatch {
    if (this.pending.size === 0) return rows;
    const room = new LeaseRoom(request);
    for (const delivery of rows.deliveries) room.take(delivery, 1);
    const deliveries = [...rows.deliveries];
    const full = new Set<string>(); // room never grows
    for (const one of this.pending.all()) {
      const { listenerId, orgId } = one.listener;
      if (one.isUnderWay || full.has(listenerId) || full.has(orgId)) continue;
      if (room.left <= 0) return { ...rows, deliveries, nextDueAt: request.now };
      if (room.ofOrganisation(orgId) <= 0) full.add(orgId);
      else if (room.ofListener(one.listener) <= 0) full.add(listenerId);
      else {
        room.take(one.listener, 1);
        one.isUnderWay = true;
        deliveries.push(firstAttempt(one));
      }
    }
    const crowdedHosts = [...new Set([...(rows.crowdedHosts ?? []), ...(room.crowded().crowdedHosts ?? [])])];
    return { ...rows, deliveries, ...(crowdedHosts.length > 0 && { crowdedHosts }) };
  }

  private get isAllWritten(): boolean {
    return this.pending.size === 0 && !this.checkpoints.old && !this.checkpoints.young;
  }

  private async writeAll(): Promise<void> {
    await this.write([...this.pending.all()], this.checkpoints.young ?? this.checkpoints.old);
    this.checkpoints = {};
    this.queue.changedOutside(); // none in memory is affected
  }

  private async writeOld(): Promise<void> {
    const { pending, checkpoints } = this;
    const old = pending.where(({ sequence }) => sequence <= this.oldSequence);
    this.oldSequence = pending.latestSequence;
    await this.write(old, checkpoints.old);
    this.checkpoints = checkpoints.young ? { old: checkpoints.young } : {};
  }

  private async write(first: readonly Pending[], checkpoint: FanOutCheckpoint | undefined): Promise<void> {
    if (first.length === 0 && !checkpoint) return;
    await this.pending.without(first, () => this.queue.write(first, checkpoint));
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

/** The checkpoint of a batch that only adds deliveries, and that its reader enqueues again after a crash. */
function followedBy(batch: FanOutBatch): FanOutCheckpoint | undefined {
  const {
    ended,
    released = [],
    cancelledReplays = [],
    setAside,
    setAsideChanges = [],
    listeners,
    deliveries,
    messages,
  } = batch;
  const changes = [ended, released, cancelledReplays, setAside, setAsideChanges];
  if (changes.some(({ length }) => length > 0)) return undefined;
  if (listeners.some(({ paused }) => paused) || deliveries.some(({ replay }) => replay !== undefined)) return undefined;
  const names = new Map(messages.map((message) => [messageName(message), message]));
  if (names.size < messages.length || !deliveries.every(ofEvent(names))) return undefined;
  const [checkpoint, ...others] = checkpointsOf(batch);
  const isAlone = others.length === 0 && checkpoint?.handedOver === undefined && !checkpoint?.waiting?.length;
  return isAlone && checkpoint?.follows ? checkpoint : undefined;
}

type KnownFacts = Facts & { position: bigint; listeners: NonNullable<Facts['listeners']> };

/** Finds the value of a delivery's event. Remembers the last one, as the deliveries of one event follow each other. */
function ofEvent<Value>(byName: ReadonlyMap<string, Value>): (delivery: NewDelivery) => Value | undefined {
  let last: NewDelivery | undefined;
  let value: Value | undefined;
  return (delivery) => {
    if (last?.eventId !== delivery.eventId || last.orgId !== delivery.orgId) value = byName.get(messageName(delivery));
    last = delivery;
    return value;
  };
}

/** Deliveries of new flow events to listeners that can be called at once are kept; the rest has the messages that have to be written. */
function split(batch: FanOutBatch, { listeners, known }: KnownFacts, pending: PendingDeliveries) {
  const events = batch.messages.map((message) => pending.eventOf(message));
  const eventOf = ofEvent(new Map(events.map((event) => [event.name, event])));
  const fresh = new Set(events.filter(({ name, message }) => message.body !== null && !known.has(name)));
  const kept: Kept[] = [];
  const deliveries: NewDelivery[] = [];
  const inMemory = new Set(events.filter((event) => event.deliveries > 0));
  const inRest = new Set<PendingEvent>();
  const restrained = new Set<string>();
  for (const delivery of batch.deliveries) {
    const { id, listenerId, held } = delivery;
    if (pending.find(id)) continue;
    const event = eventOf(delivery) as PendingEvent; // the batch has it: see `followedBy`
    const listener = listeners.get(listenerId);
    if (listener?.isReady && fresh.has(event) && !held && !restrained.has(listenerId)) {
      kept.push({ delivery, event, listener });
      inMemory.add(event);
    } else {
      restrained.add(listenerId); // the later ones come behind it
      deliveries.push(delivery);
      inRest.add(event);
    }
  }
  const written = events.filter((event) => inRest.has(event) || !inMemory.has(event));
  return { kept, rest: { ...batch, messages: written.map(({ message }) => message), listeners: [], deliveries } };
}
