import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery, QueuedListener } from '../../delivery.js';
import { checkpointsOf, type FanOutBatch, type FanOutCheckpoint } from '../../fan-out-batch.js';
import type { CallTime } from '../../policy/queue-clock.js';
import { messageName } from '../../stored-queue.js';
import type { ReleaseHeld } from '../commands/redeliver.js';
import type { SetAsideStore } from '../commands/set-aside.js';
import type { GateStore, Replays } from '../listeners/gates.js';
import type { Listener, ListenerStore } from '../listeners/listener-store.js';
import type { LongChange, TakeStep } from '../long-changes.js';
import type { DeliveryToWrite, Messages, StoredMessage } from './write-deliveries.js';

type Parts = {
  gates: GateStore;
  messages: Messages;
  release: ReleaseHeld;
  replays: Replays;
  setAside: SetAsideStore;
  listenerStore: ListenerStore;
  write: (deliveries: Iterable<DeliveryToWrite>) => number;
  moveCheckpoint: (checkpoint: FanOutCheckpoint) => void;
  takeStep: TakeStep;
};

/** `added`: number of new deliveries. `left`: changes to be done before the batch's checkpoint is kept. */
export type EnqueuedBatch = { added: number; left: readonly LongChange[] };

export function openEnqueue({
  gates,
  messages,
  release,
  replays,
  setAside,
  listenerStore,
  write,
  moveCheckpoint,
  takeStep,
}: Parts): (batch: FanOutBatch, time: CallTime, onRollback: OnRollback) => EnqueuedBatch {
  function putListeners({ listeners, deliveries }: FanOutBatch, dueAt: number): Map<string, Listener> {
    const due = new Set<string>();
    for (const { listenerId, replay, held } of deliveries) if (replay === undefined && !held) due.add(listenerId);
    const isDue = ({ listenerId, paused, subscription }: QueuedListener) =>
      due.has(listenerId) && !paused && !subscription.ordered;
    return new Map(
      listeners.map((each) => [each.listenerId, listenerStore.put(each, isDue(each) ? dueAt : undefined)]),
    );
  }

  function listenerOf(listenerId: string, listeners: Map<string, Listener>): Listener {
    const listener = listeners.get(listenerId) ?? listenerStore.find(listenerId);
    listeners.set(listenerId, listener);
    return listener;
  }

  /** Remembers the last message, as the deliveries of one event follow each other. */
  function messageFinder(known: ReadonlyMap<string, StoredMessage>): (delivery: NewDelivery) => StoredMessage {
    let last: { delivery: NewDelivery; message: StoredMessage } | undefined;
    return (delivery) => {
      const { orgId, eventId } = delivery;
      if (last?.delivery.eventId === eventId && last.delivery.orgId === orgId) return last.message;
      const message = known.get(messageName(delivery)) ?? messages.find(orgId, eventId);
      if (!message) throw new RangeError(`a delivery without its message: event ${eventId}`);
      last = { delivery, message };
      return message;
    };
  }

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

  return (batch, time, onRollback) => {
    const { now: enqueuedAt, queueNow: dueAt } = time;
    const listeners = putListeners(batch, dueAt);
    const isReplay = batch.deliveries.some(({ replay }) => replay !== undefined);
    const known = new Map(batch.messages.map((each) => [messageName(each), messages.put(each, enqueuedAt, isReplay)]));
    const publishedAgain = isReplay ? new Set() : repeatsOf(batch.messages, known);
    const messageOf = messageFinder(known);
    const toWrite: DeliveryToWrite[] = [];
    for (const delivery of batch.deliveries) {
      const message = messageOf(delivery);
      if (publishedAgain.has(message)) continue;
      toWrite.push({ delivery, listener: listenerOf(delivery.listenerId, listeners), message, enqueuedAt, dueAt });
    }
    const added = write(toWrite);
    for (const event of batch.setAside) setAside.put(event);
    for (const change of batch.setAsideChanges ?? []) setAside.change(change);
    const { left } = takeStep(changesOf(batch, listeners, dueAt), onRollback);
    if (left.length === 0) for (const checkpoint of checkpointsOf(batch)) moveCheckpoint(checkpoint);
    return { added, left };
  };
}

/** Messages known only at other positions: their flow events were published again. */
function repeatsOf(
  messages: readonly Message[],
  known: ReadonlyMap<string, StoredMessage>,
): ReadonlySet<StoredMessage | undefined> {
  const found = messages.map((message) => ({ message, stored: known.get(messageName(message)) }));
  const isThere = ({ message, stored }: (typeof found)[number]) => stored?.position === message.position;
  const there = new Set(found.filter(isThere).map(({ stored }) => stored));
  return new Set(found.flatMap(({ stored }) => (there.has(stored) ? [] : [stored])));
}
