import type Database from 'better-sqlite3';
import type { Message, NewDelivery } from '../delivery.js';
import { CheckpointLost, type FanOutBatch, type FanOutCheckpoint } from '../delivery-queue.js';
import type { QueueClock } from '../queue-clock.js';
import type { Gates } from './gates.js';
import type { OnRollback } from './grouped-calls.js';
import type { HookSchedule } from './hook-schedule.js';
import type { Looks, WaitingDelivery } from './looks.js';
import type { Replays } from './replays.js';
import { type StateNumber, stateNumbers } from './schema.js';
import { type Tally, TallyChanges } from './tally.js';
import type { Hook, Targets } from './targets.js';

const { waiting, cancelled, held } = stateNumbers;

type Parts = {
  readonly clock: QueueClock;
  readonly gates: Gates;
  readonly looks: Looks;
  readonly replays: Replays;
  readonly schedule: HookSchedule;
  readonly tally: Tally;
  readonly targets: Targets;
};

/** `dueAt` is on the queue's clock. */
type Adding = { readonly now: number; readonly dueAt: number; readonly onRollback: OnRollback };

/** A message's key; the message where it is new. */
type Entry = { readonly key: number; readonly message?: Message };

/** Writes what the fan-out hands over; within a transaction that the caller has begun. Returns how many deliveries are new. */
export function enqueueWriter(
  database: Database.Database,
  { clock, gates, looks, replays, schedule, tally, targets }: Parts,
): (batch: FanOutBatch, now: number, onRollback: OnRollback) => number {
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
    { now, dueAt, onRollback }: Adding,
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
      if (!withDue.has(hook)) looks.expect(hook, dueAt, onRollback);
      withDue.add(hook);
      looks.cameDue(hook.key, Number(lastInsertRowid), waitingDelivery(delivery, entry, now), dueAt);
    }
    for (const { key, ordered } of withDue) ordered ? schedule.renew(key, true) : schedule.due(key, dueAt);
    changes.writeTo(tally);
    return added;
  }

  function keep({ reader, position, follows }: FanOutCheckpoint): void {
    const { changes } = (follows ? moveCheckpoint : putCheckpoint).run({ reader, position });
    if (changes === 0) throw new CheckpointLost(reader);
  }

  return ({ messages, targets: wanted, deliveries, ended, setAside, checkpoint }, now, onRollback) => {
    const entries = new Map(messages.map((message) => [messageName(message.orgId, message.eventId), put(message)]));
    const hooks = new Map(wanted.map((each) => [each.listenerId, targets.put(each)]));
    const added = add(deliveries, entries, hooks, { now, dueAt: clock.of(now), onRollback });
    for (const listenerId of ended) gates.close(listenerId);
    for (const { position, stream, revision, type, reason } of setAside) {
      putSetAside.run(position, stream, revision, type, reason);
    }
    if (checkpoint) keep(checkpoint);
    return added;
  };
}

/** Undefined where the message was there before, and may have gone out in other words. */
function waitingDelivery(
  { id, webhookId, replay, eventId }: NewDelivery,
  { message }: Entry,
  enqueuedAt: number,
): WaitingDelivery | undefined {
  if (!message || message.body === null) return undefined;
  const { type, body } = message;
  return {
    ...{ id, webhookId, eventId, eventType: type, body, attempt: 1, enqueuedAt },
    ...(replay !== undefined && { replay }),
  };
}

const messageName = (orgId: string, eventId: string): string => JSON.stringify([orgId, eventId]);
