import { limitBy } from '../../../stores/sqlite/database-file.js';
import type { PutListener, QueuedListener } from '../../delivery.js';
import {
  type ListenerBefore,
  type ListenerRow,
  listenerColumns,
  parseListener,
  type StoredListener,
} from '../lease/leased-delivery.js';
import type { LongChange } from '../long-changes.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

const { waiting, held } = stateNumbers;
const { paused, releasing } = pausedNumbers;

const maxCached = 10_000;

export type Listener = ListenerBefore & {
  closed: number;
  paused: number;
  position: number;
  isScheduled?: boolean;
};

export type ListenerStore = {
  /**
   * Inserts or updates the listener unless its row is as new; a resumed listener's health is reset. `dueAt`: due time
   * of a new listener's delivery that is about to be written. A paused one may have waiting deliveries: see
   * `holdWaiting`.
   */
  put: (listener: PutListener, dueAt?: number) => Listener;
  /** Returns undefined if the listener is not paused or has no waiting deliveries. */
  holdWaiting: (listener: Listener) => LongChange | undefined;
  /** Returns the row if it is as new and `holdWaiting` has nothing to do. */
  findUpToDate: (listener: QueuedListener) => Listener | undefined;
  /** Throws `RangeError` if there is no row: a listener is put before its deliveries. */
  find: (listenerId: string) => Listener;
};

const putListener = `INSERT INTO listeners (listener_id, org_id, hook_url, subscription, secret, paused, position, next_due)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (listener_id) DO UPDATE SET
     org_id = excluded.org_id, hook_url = excluded.hook_url, subscription = excluded.subscription, secret = excluded.secret,
     paused = CASE WHEN paused = ${releasing} AND NOT excluded.paused THEN paused ELSE excluded.paused END,
     position = excluded.position,
     health = CASE WHEN ? OR paused = ${paused} AND NOT excluded.paused THEN NULL ELSE health END`;

export function openListenerStore({ database, changes, stateCounts, schedule }: Shared): ListenerStore {
  const put = database.prepare(putListener);
  const read = database.prepare<[string], StoredListener & Omit<Listener, keyof ListenerRow>>(
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
    const stored = cached.has(listenerId) ? undefined : read.get(listenerId);
    if (stored) cached.set(listenerId, parseListener(stored));
    return cached.get(listenerId);
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
      stateCounts.move(waiting, held, heldNow);
      return { changed: heldNow, isDone: heldNow < limit };
    };
  }

  const isUpToDate = (known: Listener, { position }: QueuedListener): boolean => BigInt(known.position) >= position;

  return {
    findUpToDate(listener) {
      const known = findKnown(listener.listenerId);
      return known && isUpToDate(known, listener) && !holdWaiting(known) ? known : undefined;
    },
    put(listener, dueAt) {
      const known = findKnown(listener.listenerId);
      if (known && isUpToDate(known, listener)) return known;
      const { listenerId, orgId, hookUrl, subscription, secret } = listener;
      const [isPausedNow, position] = [Number(listener.paused), Number(listener.position)];
      const json = [JSON.stringify(subscription), JSON.stringify(secret)];
      const row = [listenerId, orgId, hookUrl, ...json, isPausedNow, position, dueAt ?? null];
      // By position: named parameters take nearly twice as long.
      const { lastInsertRowid } = put.run(...row, Number(listener.isHealthReset ?? false));
      changes.note();
      if (!known) {
        return {
          key: Number(lastInsertRowid),
          health: null,
          nextDue: null,
          keptBackSince: null,
          closed: 0,
          isScheduled: dueAt !== undefined,
          ...listener,
          paused: isPausedNow,
          position,
        };
      }
      // A closed gate may have no subscription.
      if (subscription.ordered && !known.closed && !known.subscription.ordered) lineUp.run(known.key);
      schedule.renew(known.key);
      return find(listener.listenerId);
    },
    find,
    holdWaiting,
  };
}
