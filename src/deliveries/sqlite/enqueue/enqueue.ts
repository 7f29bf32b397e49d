import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery, QueuedHook } from '../../queue/delivery.js';
import type { FanOutBatch } from '../../queue/leasing.js';
import { isUnrestrained } from '../../queue/policy/hook-health.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { FullyLeasedHooks } from '../lease/fully-leased-hooks.js';
import { type LongChange, takeStep } from '../long-change.js';
import type { ReleaseHeld } from '../operate/release-held.js';
import type { SetAsideEvents } from '../operate/set-aside.js';
import type { HookHealths } from '../outcomes/hook-healths.js';
import type { GateStore } from '../registrations/gate-store.js';
import type { Hook, HookStore } from '../registrations/hook-store.js';
import type { Replays } from '../registrations/replays.js';
import { batchMessages } from './batch-messages.js';
import type { BufferWriter } from './buffer-writer.js';
import { type Messages, messageName, type StoredMessage } from './messages.js';
import { type BufferedDelivery, isNewMessage, type NewMessage, type WriteBehindBuffer } from './write-behind-buffer.js';
import type { DeliveryToWrite } from './write-deliveries.js';

type Parts = {
  readonly bufferWriter: BufferWriter;
  readonly gates: GateStore;
  readonly healths: HookHealths;
  readonly fullyLeased: FullyLeasedHooks;
  readonly messages: Messages;
  readonly release: ReleaseHeld;
  readonly replays: Replays;
  readonly setAside: SetAsideEvents;
  readonly hookStore: HookStore;
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
  hookStore,
  buffer,
  write,
}: Parts): (batch: FanOutBatch, time: CallTime, onRollback: OnRollback) => EnqueuedBatch {
  const found = batchMessages(messages, buffer);

  /** Updates the hooks to what the batch says. */
  function putHooks({ hooks: wanted, deliveries }: FanOutBatch, dueAt: number): Map<string, Hook> {
    const due = new Set<string>();
    for (const { listenerId, replay, held } of deliveries) if (replay === undefined && !held) due.add(listenerId);
    const isDue = ({ listenerId, paused, ordered }: QueuedHook) => due.has(listenerId) && !paused && !ordered;
    return new Map(wanted.map((each) => [each.listenerId, hookStore.put(each, isDue(each) ? dueAt : undefined)]));
  }

  /** Whether a new delivery to the hook would be leased as soon as a slot is free. */
  function isReady(hook: Hook, now: number): boolean {
    const { key, closed, paused, ordered, ratePerSecond, health, nextDue, keptBackSince } = hook;
    if (closed || paused || ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), ratePerSecond ?? undefined);
  }

  function hookOf(listenerId: string, hooks: Map<string, Hook>): Hook {
    const hook = hooks.get(listenerId) ?? hookStore.find(listenerId);
    hooks.set(listenerId, hook);
    return hook;
  }

  /** The changes that a batch makes to deliveries enqueued before, in their order. */
  function changesOf(batch: FanOutBatch, hooks: Map<string, Hook>, dueAt: number): readonly LongChange[] {
    return [
      ...batch.hooks.flatMap(({ listenerId }) => hookStore.holdWaiting(hookOf(listenerId, hooks)) ?? []),
      ...(batch.released ?? []).flatMap((released) => release(released, dueAt) ?? []),
      ...(batch.cancelledReplays ?? []).map((replay) => replays.cancel(replay)),
      ...batch.ended.map((listenerId) => gates.close(listenerId)),
    ];
  }

  return (batch, { now: enqueuedAt, queueNow: dueAt }, onRollback) => {
    const unchanged = batch.resentAfterCrash && buffer.isInOrder(dueAt) ? unchangedHooks(batch, hookStore) : undefined;
    if (!unchanged) bufferWriter.flush(onRollback);
    const hooks = unchanged ?? putHooks(batch, dueAt);
    const isReplay = batch.deliveries.some(({ replay }) => replay !== undefined);
    const known = new Map(
      batch.messages.map((each) => [
        messageName(each),
        unchanged ? found.bufferedOrStored(each, enqueuedAt, isReplay) : messages.put(each, enqueuedAt, isReplay),
      ]),
    );
    const publishedAgain = isReplay ? new Set() : repeatsOf(batch.messages, known);
    const messageOf = found.finder(known);
    const ready = new Map<Hook, boolean>();
    const toWrite: DeliveryToWrite[] = [];
    const buffered: BufferedDelivery[] = [];
    onRollback(() => buffer.removeAdded(buffered));

    function isBufferable({ replay, held }: NewDelivery, hook: Hook): boolean {
      if (!unchanged || replay !== undefined || held) return false;
      const isHookReady = ready.get(hook) ?? isReady(hook, dueAt);
      ready.set(hook, isHookReady);
      return isHookReady;
    }

    for (const delivery of batch.deliveries) {
      if (buffer.has(delivery.id)) continue;
      const hook = hookOf(delivery.listenerId, hooks);
      const message = messageOf(delivery);
      if (publishedAgain.has(message)) continue;
      if (isNewMessage(message) && isBufferable(delivery, hook) && buffer.hasRoom(message)) {
        const one = { delivery, message, hook, enqueuedAt, dueAt, sequence: buffer.nextSequence() };
        buffer.add(one);
        buffered.push(one);
      } else toWrite.push({ delivery, hook, message: bufferWriter.stored(message, onRollback), enqueuedAt, dueAt });
    }
    const added = buffered.length + write(toWrite, onRollback);
    for (const message of known.values())
      if (isNewMessage(message) && !buffer.message(message.name)) bufferWriter.stored(message, onRollback);
    for (const event of batch.setAside) setAside.put(event);
    const { left } = takeStep(changesOf(batch, hooks, dueAt), onRollback);
    if (batch.checkpoint && left.length === 0) bufferWriter.keepCheckpoint(batch.checkpoint, onRollback);
    return { added, left };
  };
}

/** The hooks of a batch that only adds deliveries; undefined if it changes a hook or anything else. */
function unchangedHooks(batch: FanOutBatch, hookStore: HookStore): Map<string, Hook> | undefined {
  const { hooks: wanted, ended, released = [], cancelledReplays = [], setAside } = batch;
  if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
  const hooks = new Map<string, Hook>();
  for (const target of wanted) {
    const hook = hookStore.findUpToDate(target);
    if (!hook) return undefined;
    hooks.set(target.listenerId, hook);
  }
  return hooks;
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
