import type { Message, NewDelivery, QueuedHook } from '../../queue/delivery.js';
import type { FanOutBatch, Released } from '../../queue/delivery-queue.js';
import { isUnrestrained } from '../../queue/hook-health.js';
import type { QueueClock } from '../../queue/queue-clock.js';
import type { OnRollback } from '../grouped-calls.js';
import type { Looks } from '../lease/looks.js';
import type { SetAsideEvents } from '../operate/set-aside.js';
import type { HookHealths } from '../outcomes/hook-healths.js';
import type { Gates } from '../registrations/gates.js';
import type { Replays } from '../registrations/replays.js';
import type { Hook, Targets } from '../registrations/targets.js';
import { type Messages, messageName, type StoredMessage } from './messages.js';
import { isNewMessage, type NewMessage, type Unwritten, type UnwrittenDelivery } from './unwritten.js';
import type { WriteBehind } from './write-behind.js';
import type { DeliveryToWrite } from './write-deliveries.js';

type Parts = {
  readonly behind: WriteBehind;
  readonly clock: QueueClock;
  readonly gates: Gates;
  readonly healths: HookHealths;
  readonly looks: Looks;
  readonly messages: Messages;
  readonly release: (released: Released, dueAt: number, onRollback: OnRollback) => void;
  readonly replays: Replays;
  readonly setAside: SetAsideEvents;
  readonly targets: Targets;
  readonly unwritten: Unwritten;
  readonly write: (deliveries: Iterable<DeliveryToWrite>, onRollback: OnRollback) => number;
};

/** Takes what the fan-out hands over; within a transaction that the caller has begun. Returns how many deliveries are new. */
export function enqueuer({
  behind,
  clock,
  gates,
  healths,
  looks,
  messages,
  release,
  replays,
  setAside,
  targets,
  unwritten,
  write,
}: Parts): (batch: FanOutBatch, now: number, onRollback: OnRollback) => number {
  /** The hooks as they are; undefined where the batch changes one, or anything but what is to be delivered. */
  function standingHooks(batch: FanOutBatch): Map<string, Hook> | undefined {
    const { hooks: wanted, ended, released = [], cancelledReplays = [], setAside } = batch;
    if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
    const hooks = new Map<string, Hook>();
    for (const target of wanted) {
      const hook = targets.standing(target);
      if (!hook) return undefined;
      hooks.set(target.listenerId, hook);
    }
    return hooks;
  }

  /** The hooks once they are what the batch says. */
  function put({ hooks: wanted, deliveries }: FanOutBatch, dueAt: number): Map<string, Hook> {
    const due = new Set<string>();
    for (const { listenerId, replay, held } of deliveries) if (replay === undefined && !held) due.add(listenerId);
    const isDue = ({ listenerId, paused, ordered }: QueuedHook) => due.has(listenerId) && !paused && !ordered;
    return new Map(wanted.map((each) => [each.listenerId, targets.put(each, isDue(each) ? dueAt : undefined)]));
  }

  /** Whether a delivery to it would be taken up as soon as a slot is free, by all that is known. */
  function isReady(hook: Hook, now: number): boolean {
    const { key, closed, paused, ordered, ratePerSecond, health, nextDue, keptBackSince } = hook;
    if (closed || paused || ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || looks.of(key, now)?.free.size === 0;
    return nothingFree && isUnrestrained(healths.of(key, health), ratePerSecond ?? undefined);
  }

  function hookOf(listenerId: string, hooks: Map<string, Hook>): Hook {
    const hook = hooks.get(listenerId) ?? targets.find(listenerId);
    hooks.set(listenerId, hook);
    return hook;
  }

  /** One of which nothing has been written is not written yet: then its deliveries are new, unless they are kept here. */
  function find(message: Message): StoredMessage | NewMessage {
    const { orgId, eventId, body } = message;
    const name = messageName(message);
    const kept = unwritten.message(name);
    if (kept && kept.key === undefined) return kept;
    if (body === null || kept || messages.find(orgId, eventId)) return messages.put(message);
    return { name, ...message, body };
  }

  /** Finds a delivery's message; those of one event come one after the other. */
  function messageFinder(
    known: Map<string, StoredMessage | NewMessage>,
  ): (delivery: NewDelivery) => StoredMessage | NewMessage {
    let last: { readonly delivery: NewDelivery; readonly message: StoredMessage | NewMessage } | undefined;
    return (delivery) => {
      const { orgId, eventId } = delivery;
      if (last?.delivery.eventId === eventId && last.delivery.orgId === orgId) return last.message;
      const name = messageName(delivery);
      const message = known.get(name) ?? unwritten.message(name) ?? messages.find(orgId, eventId);
      if (!message) throw new RangeError(`a delivery without its message: event ${eventId}`);
      known.set(name, message);
      last = { delivery, message };
      return message;
    };
  }

  return (batch, now, onRollback) => {
    const dueAt = clock.of(now);
    const standing = batch.resentAfterCrash && unwritten.isInOrder(dueAt) ? standingHooks(batch) : undefined;
    if (!standing) behind.writeAll(onRollback);
    const hooks = standing ?? put(batch, dueAt);
    const known = new Map(
      batch.messages.map((each) => [messageName(each), standing ? find(each) : messages.put(each)]),
    );
    const messageOf = messageFinder(known);
    const ready = new Map<Hook, boolean>();
    const toWrite: DeliveryToWrite[] = [];
    const later: UnwrittenDelivery[] = [];
    onRollback(() => unwritten.takeBack(later));

    function mayWait({ replay, held }: NewDelivery, hook: Hook): boolean {
      if (!standing || replay !== undefined || held) return false;
      const isKnown = ready.get(hook) ?? isReady(hook, dueAt);
      ready.set(hook, isKnown);
      return isKnown;
    }

    for (const delivery of batch.deliveries) {
      if (unwritten.has(delivery.id)) continue;
      const hook = hookOf(delivery.listenerId, hooks);
      const message = messageOf(delivery);
      if (isNewMessage(message) && mayWait(delivery, hook) && unwritten.hasRoom(message)) {
        const one = { delivery, message, hook, enqueuedAt: now, dueAt, sequence: unwritten.next() };
        unwritten.add(one);
        later.push(one);
      } else toWrite.push({ delivery, hook, message: behind.stored(message, onRollback), enqueuedAt: now, dueAt });
    }
    const added = later.length + write(toWrite, onRollback);
    for (const message of known.values())
      if (isNewMessage(message) && !unwritten.message(message.name)) behind.stored(message, onRollback);
    for (const released of batch.released ?? []) release(released, dueAt, onRollback);
    for (const replay of batch.cancelledReplays ?? []) replays.cancel(replay);
    for (const listenerId of batch.ended) gates.close(listenerId);
    for (const event of batch.setAside) setAside.put(event);
    if (batch.checkpoint) behind.keep(batch.checkpoint, onRollback);
    return added;
  };
}
