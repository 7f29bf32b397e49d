import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { QueuedListener } from '../../queue/delivery.js';
import { listenerColumns } from '../lease/find-due.js';
import type { ListenerBefore } from '../lease/leased-delivery.js';
import type { LongChange } from '../long-changes.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

const { waiting, held } = stateNumbers;
const { paused, releasing } = pausedNumbers;

const maxCached = 10_000;

export type Listener = ListenerBefore & {
  readonly closed: number;
  readonly paused: number;
  readonly position: number;
  readonly isScheduled?: boolean;
};

export type ListenerStore = {
  /**
   * Inserts or updates the listener unless its row is as new; a resumed listener's health is reset. `dueAt`: due time
   * of a new listener's delivery that is about to be written. A paused one may have waiting deliveries: see
   * `holdWaiting`.
   */
  readonly put: (wantedRow: QueuedListener, dueAt?: number) => Listener;
  /** Returns undefined if the listener is not paused or has no waiting deliveries. */
  readonly holdWaiting: (listener: Listener) => LongChange | undefined;
  /** Returns the row if it is as new and `holdWaiting` has nothing to do. */
  readonly findUpToDate: (wantedRow: QueuedListener) => Listener | undefined;
  /** Throws `RangeError` if there is no row: a listener is put before its deliveries. */
  readonly find: (listenerId: string) => Listener;
};

export function openListenerStore({ database, changes, tally, schedule }: Shared): ListenerStore {
  const put = database.prepare(
    `INSERT INTO listeners (listener_id, org_id, hook_url, key_generation, secret_version, previous_secret, transform, ordered,
       rate_per_second, paused, position, next_due)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (listener_id) DO UPDATE SET
       org_id = excluded.org_id, hook_url = excluded.hook_url, key_generation = excluded.key_generation,
       secret_version = excluded.secret_version, previous_secret = excluded.previous_secret,
       transform = excluded.transform,
       ordered = excluded.ordered, rate_per_second = excluded.rate_per_second,
       paused = CASE WHEN paused = ${releasing} AND NOT excluded.paused THEN paused ELSE excluded.paused END,
       position = excluded.position,
       health = CASE WHEN paused = ${paused} AND NOT excluded.paused THEN NULL ELSE health END`,
  );
  const read = database.prepare<[string], Listener>(
    `SELECT ${listenerColumns}, next_due AS nextDue, due_since AS keptBackSince, closed, paused, position FROM listeners WHERE listener_id = ?`,
  );
  const isPaused = database
    .prepare<[number], number>(`SELECT 1 FROM listeners WHERE key = ? AND paused = ${paused}`)
    .pluck();
  const isAnyWaiting = database
    .prepare<[number], number>(`SELECT 1 FROM deliveries WHERE listener = ? AND state = ${waiting} LIMIT 1`)
    .pluck();
  const hold = database.prepare<[number, number]>(
    `UPDATE deliveries SET state = ${held}, due_at = NULL
     WHERE key IN (SELECT key FROM deliveries WHERE listener = ? AND state = ${waiting} ${limitBy()})`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries INDEXED BY deliveries_waiting SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE listener = ? AND state = ${waiting} AND turn IS NULL`,
  );

  /** Valid until any listener changes. */
  const cached = new Map<string, Listener>();
  let changesSeen: number | undefined;

  function findKnown(listenerId: string): Listener | undefined {
    const isOutdated = changes.count() !== changesSeen || cached.size >= maxCached;
    if (isOutdated && cached.size > 0) cached.clear();
    changesSeen = changes.count();
    const listener = cached.get(listenerId) ?? read.get(listenerId);
    if (listener) cached.set(listenerId, listener);
    return listener;
  }

  function find(listenerId: string): Listener {
    const listener = findKnown(listenerId);
    if (!listener) throw new RangeError(`a delivery without its row: listener ${listenerId}`);
    return listener;
  }

  function holdWaiting(listener: Pick<Listener, 'key' | 'paused'>): LongChange | undefined {
    const { key } = listener;
    if (listener.paused !== paused || isAnyWaiting.get(key) === undefined) return undefined;
    return (limit) => {
      if (isPaused.get(key) === undefined) return { changed: 0, isDone: true }; // it was resumed between two parts
      const { changes: heldNow } = hold.run(key, limit);
      tally.add(waiting, -heldNow);
      tally.add(held, heldNow);
      return { changed: heldNow, isDone: heldNow < limit };
    };
  }

  const isUpToDate = (known: Listener, { position }: QueuedListener): boolean => BigInt(known.position) >= position;

  return {
    findUpToDate(wantedRow) {
      const known = findKnown(wantedRow.listenerId);
      return known && isUpToDate(known, wantedRow) && !holdWaiting(known) ? known : undefined;
    },
    put(wantedRow, dueAt) {
      const known = findKnown(wantedRow.listenerId);
      if (known && isUpToDate(known, wantedRow)) return known;
      const row = rowOf(wantedRow);
      const { lastInsertRowid } = put.run(...valuesOf(row), dueAt ?? null);
      changes.note();
      if (!known) {
        return {
          key: Number(lastInsertRowid),
          health: null,
          nextDue: null,
          keptBackSince: null,
          closed: 0,
          isScheduled: dueAt !== undefined,
          ...row,
        };
      }
      const { key } = known;
      if (wantedRow.ordered && !known.ordered) lineUp.run(key);
      schedule.renew(key);
      return find(wantedRow.listenerId);
    },
    find,
    holdWaiting,
  };
}

const rowOf = ({ previousSecret, transform, ordered, ratePerSecond, paused, position, ...named }: QueuedListener) => ({
  listenerId: named.listenerId,
  orgId: named.orgId,
  hookUrl: named.hookUrl,
  keyGeneration: named.keyGeneration,
  secretVersion: named.secretVersion,
  previousSecret: previousSecret ? JSON.stringify(previousSecret) : null,
  transform: transform ?? null,
  ordered: Number(ordered),
  ratePerSecond: ratePerSecond ?? null,
  paused: Number(paused),
  position: Number(position),
});

/** By position: named parameters take nearly twice as long. */
const valuesOf = (row: ReturnType<typeof rowOf>): readonly unknown[] => [
  row.listenerId,
  row.orgId,
  row.hookUrl,
  row.keyGeneration,
  row.secretVersion,
  row.previousSecret,
  row.transform,
  row.ordered,
  row.ratePerSecond,
  row.paused,
  row.position,
];
