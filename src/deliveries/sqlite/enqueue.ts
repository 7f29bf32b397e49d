import type Database from 'better-sqlite3';
import {
  CheckpointLost,
  type FanOutBatch,
  type FanOutCheckpoint,
  type Message,
  type NewDelivery,
  type Target,
} from '../delivery-queue.js';
import type { Gates } from './gates.js';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

const { waiting, cancelled } = stateNumbers;

type Listener = { readonly key: number; readonly closed: number };

/** Writes what the fan-out hands over; within a transaction that the caller has begun. Returns how many deliveries are new. */
export function enqueueWriter(
  database: Database.Database,
  { gates, tally }: { readonly gates: Gates; readonly tally: Tally },
): (batch: FanOutBatch, now: number) => { readonly added: number } {
  const addMessage = database
    .prepare<unknown[], number>(
      `INSERT INTO messages (org_id, event_id, type, position, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING key`,
    )
    .pluck();
  const findMessage = database
    .prepare<[string, string], number>('SELECT key FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  const putTarget = database.prepare(
    `INSERT INTO listeners (listener_id, org_id, hook_url, key_generation, secret_version, position)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (listener_id) DO UPDATE SET
       org_id = excluded.org_id, hook_url = excluded.hook_url, key_generation = excluded.key_generation,
       secret_version = excluded.secret_version, position = excluded.position
     WHERE excluded.position > position`,
  );
  const findListener = database.prepare<[string], Listener>('SELECT key, closed FROM listeners WHERE listener_id = ?');
  const addDelivery = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, due_at, enqueued_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const dueEarlier = database.prepare(
    'UPDATE listeners SET next_due = min(ifnull(next_due, @now), @now) WHERE key = @key',
  );
  const putSetAside = database.prepare(
    'INSERT INTO set_aside (position, stream, revision, type, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const putCheckpoint = database.prepare(
    `INSERT INTO checkpoints (reader, position) VALUES (@reader, @position)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position`,
  );
  const moveCheckpoint = database.prepare('UPDATE checkpoints SET position = @position WHERE reader = @reader');

  function messageKey({ orgId, eventId, type, position, body }: Message): number {
    return addMessage.get(orgId, eventId, type, position, body) ?? knownMessage(orgId, eventId);
  }

  function knownMessage(orgId: string, eventId: string): number {
    const key = findMessage.get(orgId, eventId);
    if (key === undefined) throw new RangeError(`a delivery without its message: event ${eventId}`);
    return key;
  }

  function add(deliveries: readonly NewDelivery[], messages: Map<string, number>, now: number): number {
    const listeners = new Map<string, Listener>();
    const due = new Set<number>();
    const added = { [waiting]: 0, [cancelled]: 0 };
    for (const { id, webhookId, orgId, eventId, listenerId } of deliveries) {
      const listener = listeners.get(listenerId) ?? findListener.get(listenerId);
      if (!listener) throw new RangeError(`a delivery without its target: listener ${listenerId}`);
      listeners.set(listenerId, listener);
      const name = messageName(orgId, eventId);
      const message = messages.get(name) ?? knownMessage(orgId, eventId);
      messages.set(name, message);
      const state = listener.closed ? cancelled : waiting;
      const dueAt = listener.closed ? null : now;
      const { changes } = addDelivery.run(id, webhookId, message, listener.key, state, dueAt, now);
      added[state] += changes;
      if (changes > 0 && state === waiting) due.add(listener.key);
    }
    for (const key of due) dueEarlier.run({ key, now });
    tally.add(waiting, added[waiting]);
    tally.add(cancelled, added[cancelled]);
    return added[waiting] + added[cancelled];
  }

  function put({ listenerId, orgId, hookUrl, keyGeneration, secretVersion, position }: Target): void {
    putTarget.run(listenerId, orgId, hookUrl, keyGeneration, secretVersion, position);
  }

  function keep({ reader, position, follows }: FanOutCheckpoint): void {
    const { changes } = (follows ? moveCheckpoint : putCheckpoint).run({ reader, position });
    if (changes === 0) throw new CheckpointLost(reader);
  }

  return ({ messages, targets, deliveries, ended, setAside, checkpoint }, now) => {
    const keys = new Map(messages.map((message) => [messageName(message.orgId, message.eventId), messageKey(message)]));
    targets.forEach(put);
    const added = add(deliveries, keys, now);
    for (const listenerId of ended) gates.close(listenerId);
    for (const { position, stream, revision, type, reason } of setAside) {
      putSetAside.run(position, stream, revision, type, reason);
    }
    if (checkpoint) keep(checkpoint);
    return { added };
  };
}

const messageName = (orgId: string, eventId: string): string => JSON.stringify([orgId, eventId]);
