import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { NewDelivery } from '../../queue/delivery.js';
import { checkpointsOf, type FanOutBatch } from '../../queue/leasing.js';
import { isUnrestrained } from '../../queue/policy/listener-health.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { Listener, ListenerStore } from '../listeners/listener-store.js';
import type { Shared } from '../shared.js';
import type { NewMessage, UnwrittenDeliveries } from '../unwritten-deliveries.js';
import { type Messages, messageName } from './write-deliveries.js';

type Parts = {
  listenerStore: ListenerStore;
  messages: Messages;
  unwritten: UnwrittenDeliveries;
  flush: (onRollback: OnRollback) => void;
  flushListener: (key: number, onRollback: OnRollback) => void;
  keyOf: (of: NewMessage, onRollback: OnRollback) => number;
};

/** Keeps deliveries of a batch in memory. Returns their number, and the rest of the batch. */
export function openKeepUnwritten(
  { fullyLeased, healths }: Shared,
  { listenerStore, messages: stored, unwritten, flush, flushListener, keyOf }: Parts,
) {
  /** Returns undefined if the batch changes a listener or does more than add deliveries. */
  function unchangedListeners(batch: FanOutBatch): Map<string, Listener> | undefined {
    const { ended, released = [], cancelledReplays = [], setAside, deliveries } = batch;
    if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
    if (deliveries.some(({ replay }) => replay !== undefined)) return undefined;
    const listeners = new Map<string, Listener>();
    for (const queued of batch.listeners) {
      const listener = listenerStore.findUpToDate(queued);
      if (!listener) return undefined;
      listeners.set(queued.listenerId, listener);
    }
    return listeners;
  }

  /** Messages by name. Undefined if one has two positions, or a delivery's message is not in the batch. */
  function messagesOf({ messages, deliveries }: FanOutBatch, enqueuedAt: number): Map<string, NewMessage> | undefined {
    const found = new Map<string, NewMessage>();
    for (const message of messages) {
      const name = messageName(message);
      const known = found.get(name) ?? unwritten.message(name);
      if (known && known.message.position !== message.position) return undefined;
      found.set(name, known ?? { message, enqueuedAt, deliveries: 0 });
    }
    return deliveries.every((delivery) => found.has(messageName(delivery))) ? found : undefined;
  }

  /** Without a row for the message, all its deliveries outside the buffer are new. */
  function isNew({ message, deliveries, key }: NewMessage): boolean {
    if (message.body === null || key !== undefined) return false;
    return deliveries > 0 || stored.find(message.orgId, message.eventId) === undefined;
  }

  function isReady(listener: Listener, now: number): boolean {
    const { key, closed, paused, subscription, health, nextDue, keptBackSince } = listener;
    if (closed || paused || subscription.ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), subscription.ratePerSecond ?? undefined);
  }

  return (batch: FanOutBatch, time: CallTime, onRollback: OnRollback): { kept: number; rest: FanOutBatch } => {
    const { now: enqueuedAt, queueNow: dueAt } = time;
    const mayKeep = isEnqueuedAgain(batch) && unwritten.isLast(dueAt) && unwritten.hasRoomFor(batch);
    const listeners = mayKeep ? unchangedListeners(batch) : undefined;
    const messages = listeners && messagesOf(batch, enqueuedAt);
    if (!listeners || !messages) {
      flush(onRollback);
      return { kept: 0, rest: batch };
    }
    const fresh = new Set([...messages.values()].filter(isNew));
    const ready = new Set([...listeners.values()].filter((listener) => isReady(listener, dueAt)));
    const rest: NewDelivery[] = [];
    let kept = 0;
    for (const delivery of batch.deliveries) {
      if (unwritten.find(delivery.id)) continue;
      const of = messages.get(messageName(delivery));
      const listener = listeners.get(delivery.listenerId);
      if (of && fresh.has(of) && listener && ready.has(listener) && !delivery.held) {
        unwritten.add({ delivery, of, listener, dueAt }, onRollback);
        kept += 1;
      } else {
        rest.push(delivery);
        if (!listener) continue;
        flushListener(listener.key, onRollback); // earlier deliveries are leased first
        ready.delete(listener);
      }
    }
    const ofRest = new Set(rest.map(messageName));
    const toWrite = [...messages].filter(([name, { deliveries }]) => deliveries === 0 || ofRest.has(name));
    for (const [, of] of toWrite) if (of.deliveries > 0) keyOf(of, onRollback);
    return {
      kept,
      rest: { ...batch, messages: toWrite.map(([, { message }]) => message), listeners: [], deliveries: rest },
    };
  };
}

/** The reader enqueues the batch again after a crash, so it may be written later. */
function isEnqueuedAgain(batch: FanOutBatch): boolean {
  const [checkpoint, ...others] = checkpointsOf(batch);
  return others.length === 0 && checkpoint?.follows === true && checkpoint.handedOver === undefined;
}
