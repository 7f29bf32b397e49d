import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery, QueuedListener } from '../../queue/delivery.js';
import type { FanOutBatch } from '../../queue/leasing.js';
import { isUnrestrained } from '../../queue/policy/listener-health.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { ReleaseHeld } from '../commands/release-held.js';
import type { SetAsideEvents } from '../commands/set-aside.js';
import type { FullyLeasedListeners } from '../lease/fully-leased-listeners.js';
import type { GateStore } from '../listeners/gate-store.js';
import type { Listener, ListenerStore } from '../listeners/listener-store.js';
import type { Replays } from '../listeners/replays.js';
import { type LongChange, takeStep } from '../long-change.js';
import type { ListenerHealths } from '../outcomes/listener-healths.js';
import { batchMessages } from './batch-messages.js';
import type { BufferWriter } from './buffer-writer.js';
import { type Messages, messageName, type StoredMessage } from './messages.js';
import { type BufferedDelivery, isNewMessage, type NewMessage, type WriteBehindBuffer } from './write-behind-buffer.js';
import type { DeliveryToWrite } from './write-deliveries.js';

type Parts = {
  readonly bufferWriter: BufferWriter;
  readonly gates: GateStore;
  readonly healths: ListenerHealths;
  readonly fullyLeased: FullyLeasedListeners;
  readonly messages: Messages;
  readonly release: ReleaseHeld;
  readonly replays: Replays;
  readonly setAside: SetAsideEvents;
  readonly listenerStore: ListenerStore;
  readonly buffer: WriteBehindBuffer;
  readonly write: (deliveries: Iterable<DeliveryToWrite>, onRollback: OnRollback) => number;
};

/** `added`: the number of new deliveries. `left`: changes that are not done; the batch's checkpoint is to be kept after them. */
export type EnqueuedBatch = { readonly added: number; readonly left: readonly LongChange[] };

/** Enqueues a fan-out batch; within a transaction that the caller has begun. */
export function enqueuer({
  bufferWriter,
  gates,
  healths,
  fullyLeased,
  messages,
  release,
  replays,
  setAside,
  listenerStore,
  buffer,
  write,
}: Parts): (batch: FanOutBatch, time: CallTime, onRollback: OnRollback) => EnqueuedBatch {
  const found = batchMessages(messages, buffer);

  /** Updates the listeners to what the batch says. */
  function putListeners({ listeners: wanted, deliveries }: FanOutBatch, dueAt: number): Map<string, Listener> {
    const due = new Set<string>();
    for (const { listenerId, replay, held } of deliveries) if (replay === undefined && !held) due.add(listenerId);
    const isDue = ({ listenerId, paused, ordered }: QueuedListener) => due.has(listenerId) && !paused && !ordered;
    return new Map(wanted.map((each) => [each.listenerId, listenerStore.put(each, isDue(each) ? dueAt : undefined)]));
  }

  /** Whether a new delivery to the listener would be leased as soon as a slot is free. */
  function isReady(listener: Listener, now: number): boolean {
    const { key, closed, paused, ordered, ratePerSecond, health, nextDue, keptBackSince } = listener;
    if (closed || paused || ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), ratePerSecond ?? undefined);
  }

  function listenerOf(listenerId: string, listeners: Map<string, Listener>): Listener {
    const listener = listeners.get(listenerId) ?? listenerStore.find(listenerId);
    listeners.set(listenerId, listener);
    return listener;
  }

  /** The changes that a batch makes to deliveries enqueued before, in their order. */
  function changesOf(batch: FanOutBatch, listeners: Map<string, Listener>, dueAt: number): readonly LongChange[] {
    return [
      ...batch.listeners.flatMap(
        ({ listenerId }) => listenerStore.holdWaiting(listenerOf(listenerId, listeners)) ?? [],
      ),
      ...(batch.released ?? []).flatMap((released) => release(released, dueAt) ?? []),
      ...(batch.cancelledReplays ?? []).map((replay) => replays.cancel(replay)),
      ...batch.ended.map((listenerId) => gates.close(listenerId)),
    ];
  }

  return (batch, { now: enqueuedAt, queueNow: dueAt }, onRollback) => {
    const unchanged =
      isResentAfterCrash(batch) && buffer.isInOrder(dueAt) ? unchangedListeners(batch, listenerStore) : undefined;
    if (!unchanged) bufferWriter.flush(onRollback);
    const listeners = unchanged ?? putListeners(batch, dueAt);
    const isReplay = batch.deliveries.some(({ replay }) => replay !== undefined);
    const known = new Map(
      batch.messages.map((each) => [
        messageName(each),
        unchanged ? found.bufferedOrStored(each, enqueuedAt, isReplay) : messages.put(each, enqueuedAt, isReplay),
      ]),
    );
    const publishedAgain = isReplay ? new Set() : repeatsOf(batch.messages, known);
    const messageOf = found.finder(known);
    const ready = new Map<Listener, boolean>();
    const toWrite: DeliveryToWrite[] = [];
    const buffered: BufferedDelivery[] = [];
    onRollback(() => buffer.removeAdded(buffered));

    function isBufferable({ replay, held }: NewDelivery, listener: Listener): boolean {
      if (!unchanged || replay !== undefined || held) return false;
      const isListenerReady = ready.get(listener) ?? isReady(listener, dueAt);
      ready.set(listener, isListenerReady);
      return isListenerReady;
    }

    for (const delivery of batch.deliveries) {
      if (buffer.has(delivery.id)) continue;
      const listener = listenerOf(delivery.listenerId, listeners);
      const message = messageOf(delivery);
      if (publishedAgain.has(message)) continue;
      if (isNewMessage(message) && isBufferable(delivery, listener) && buffer.hasRoom(message)) {
        const one = { delivery, message, listener, enqueuedAt, dueAt, sequence: buffer.nextSequence() };
        buffer.add(one);
        buffered.push(one);
      } else toWrite.push({ delivery, listener, message: bufferWriter.stored(message, onRollback), enqueuedAt, dueAt });
    }
    const added = buffered.length + write(toWrite, onRollback);
    for (const message of known.values())
      if (isNewMessage(message) && !buffer.message(message.name)) bufferWriter.stored(message, onRollback);
    for (const event of batch.setAside) setAside.put(event);
    const { left } = takeStep(changesOf(batch, listeners, dueAt), onRollback);
    if (batch.checkpoint && left.length === 0) bufferWriter.keepCheckpoint(batch.checkpoint, onRollback);
    return { added, left };
  };
}

/** Whether the reader enqueues the batch again from the checkpoint before it, so that it may be written later. */
const isResentAfterCrash = ({ checkpoint }: FanOutBatch): boolean =>
  checkpoint?.follows === true && checkpoint.handedOver === undefined;

/** The listeners of a batch that only adds deliveries; undefined if it changes a listener or anything else. */
function unchangedListeners(batch: FanOutBatch, listenerStore: ListenerStore): Map<string, Listener> | undefined {
  const { listeners: wanted, ended, released = [], cancelledReplays = [], setAside } = batch;
  if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
  const listeners = new Map<string, Listener>();
  for (const wantedRow of wanted) {
    const listener = listenerStore.findUpToDate(wantedRow);
    if (!listener) return undefined;
    listeners.set(wantedRow.listenerId, listener);
  }
  return listeners;
}

/** The known messages that a batch has at other positions alone: their flow events were published again. */
function repeatsOf(
  messages: readonly Message[],
  known: ReadonlyMap<string, StoredMessage | NewMessage>,
): ReadonlySet<StoredMessage | NewMessage | undefined> {
  const found = messages.map((message) => ({ message, stored: known.get(messageName(message)) }));
  const isThere = ({ message, stored }: (typeof found)[number]) => stored?.position === message.position;
  const there = new Set(found.filter(isThere).map(({ stored }) => stored));
  return new Set(found.flatMap(({ stored }) => (there.has(stored) ? [] : [stored])));
}
