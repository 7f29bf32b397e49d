import type Database from 'better-sqlite3';
import type { Message, NewDelivery } from '../delivery.js';
import {
  CheckpointLost,
  type Enqueued,
  type FanOutBatch,
  type FanOutCheckpoint,
  type LeaseRequest,
} from '../delivery-queue.js';
import type { QueueClock } from '../queue-clock.js';
import type { Gates } from './gates.js';
import type { OnRollback } from './grouped-calls.js';
import type { HookSchedule } from './hook-schedule.js';
import type { Replays } from './replays.js';
import { type StateNumber, stateNumbers } from './schema.js';
import type { NewlyDue, NewTaker, TakeNew } from './take-new.js';
import { type Tally, TallyChanges } from './tally.js';
import type { Hook, Targets } from './targets.js';

const { waiting, cancelled, held } = stateNumbers;

type Parts = {
  readonly clock: QueueClock;
  readonly gates: Gates;
  readonly replays: Replays;
  readonly schedule: HookSchedule;
  readonly takeNew: TakeNew;
  readonly tally: Tally;
  readonly targets: Targets;
};

type Enqueue = (
  batch: FanOutBatch,
  now: number,
  options: { readonly request: LeaseRequest | undefined; readonly onRollback: OnRollback },
) => Enqueued;

/** `dueAt` is on the queue's clock. What is due is offered to whoever takes it at once. */
type Adding = { readonly now: number; readonly dueAt: number; readonly offer: NewTaker['offer'] | undefined };

/** A message's key; the message where it is new. */
type Entry = { readonly key: number; readonly message?: Message };

/**
 * Writes what the fan-out hands over, and leases of it what the request has room for; within a transaction that the caller
 * has begun.
 */
export function enqueueWriter(
  database: Database.Database,
  { clock, gates, replays, schedule, takeNew, tally, targets }: Parts,
): Enqueue {
  const addMessage = database
    .prepare<unknown[], number>(
      `INSERT INTO messages (org_id, event_id, type, position, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body WHERE body IS NULL AND excluded.body IS NOT NULL
       RETURNING key`,
    )
    .pluck();
  const findMessage = database
    .prepare<[string, string], number>('SELECT key FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  const addDelivery = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, due_at, enqueued_at, ended_at, replay)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE message = ? AND id = ?`,
  );
  const putSetAside = database.prepare(
    'INSERT INTO set_aside (position, stream, revision, type, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const putCheckpoint = database.prepare(
    `INSERT INTO checkpoints (reader, position) VALUES (@reader, @position)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position`,
  );
  const moveCheckpoint = database.prepare('UPDATE checkpoints SET position = @position WHERE reader = @reader');

  function put(message: Message): Entry {
    const { orgId, eventId, type, position, body } = message;
    const key = addMessage.get(orgId, eventId, type, position, body);
    return key === undefined ? knownMessage(orgId, eventId) : { key, message };
  }

  function knownMessage(orgId: string, eventId: string): Entry {
    const key = findMessage.get(orgId, eventId);
    if (key === undefined) throw new RangeError(`a delivery without its message: event ${eventId}`);
    return { key };
  }

  function stateOf({ replay, held: isHeld }: NewDelivery, { closed, paused }: Hook): StateNumber {
    if (closed || (replay !== undefined && replays.isCancelled(replay))) return cancelled;
    return paused || isHeld ? held : waiting;
  }

  function add(
    deliveries: readonly NewDelivery[],
    messages: Map<string, Entry>,
    hooks: Map<string, Hook>,
    { now, dueAt, offer }: Adding,
  ): number {
    const withDue = new Set<Hook>();
    const changes = new TallyChanges();
    let added = 0;
    for (const delivery of deliveries) {
      const { id, webhookId, orgId, eventId, listenerId, replay } = delivery;
      const hook = hooks.get(listenerId) ?? targets.find(listenerId);
      if (!hook) throw new RangeError(`a delivery without its target: listener ${listenerId}`);
      hooks.set(listenerId, hook);
      const name = messageName(orgId, eventId);
      const entry = messages.get(name) ?? knownMessage(orgId, eventId);
      messages.set(name, entry);
      const state = stateOf(delivery, hook);
      const due = state === waiting ? dueAt : null;
      const endedAt = state === cancelled ? now : null;
      const { changes: isNew, lastInsertRowid } = addDelivery.run(
        ...[id, webhookId, entry.key, hook.key, state, due, now, endedAt, replay ?? null],
      );
      if (isNew === 0) continue;
      added += 1;
      changes.add(state, 1);
      if (hook.ordered) lineUp.run(entry.key, id);
      if (state !== waiting) continue;
      withDue.add(hook);
      offer?.(hook, newlyDue(Number(lastInsertRowid), delivery, entry));
    }
    for (const { key, ordered } of withDue) ordered ? schedule.renew(key, true) : schedule.due(key, dueAt);
    changes.writeTo(tally);
    return added;
  }

  function keep({ reader, position, follows }: FanOutCheckpoint): void {
    const { changes } = (follows ? moveCheckpoint : putCheckpoint).run({ reader, position });
    if (changes === 0) throw new CheckpointLost(reader);
  }

  return ({ messages, targets: wanted, deliveries, ended, setAside, checkpoint }, now, { request, onRollback }) => {
    const dueAt = clock.of(now);
    const taker = request && takeNew(request, dueAt, onRollback);
    const entries = new Map(messages.map((message) => [messageName(message.orgId, message.eventId), put(message)]));
    const hooks = new Map(wanted.map((each) => [each.listenerId, targets.put(each)]));
    // What ends in this batch is left to its gate.
    const offer: NewTaker['offer'] | undefined =
      taker && ((hook, delivery) => taker.offer(hook, ended.includes(hook.listenerId) ? undefined : delivery));
    const added = add(deliveries, entries, hooks, { now, dueAt, offer });
    for (const listenerId of ended) gates.close(listenerId);
    for (const { position, stream, revision, type, reason } of setAside) {
      putSetAside.run(position, stream, revision, type, reason);
    }
    if (checkpoint) keep(checkpoint);
    return { added, ...(taker && { lease: taker.end() }) };
  };
}

/** Undefined where the message was there before, and may have gone out in other words. */
function newlyDue(
  key: number,
  { id, webhookId, replay, eventId }: NewDelivery,
  { message }: Entry,
): NewlyDue | undefined {
  if (!message || message.body === null) return undefined;
  return {
    key,
    id,
    webhookId,
    eventId,
    eventType: message.type,
    body: message.body,
    ...(replay !== undefined && { replay }),
  };
}

const messageName = (orgId: string, eventId: string): string => JSON.stringify([orgId, eventId]);
