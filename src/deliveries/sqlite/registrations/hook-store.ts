import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { QueuedHook } from '../../queue/delivery.js';
import type { HookBefore } from '../lease/delivery-to-lease.js';
import { hookColumns } from '../lease/due-hooks.js';
import type { HookChanges } from '../lease/hook-changes.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { LongChange } from '../long-change.js';
import { pausedNumbers, stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, held } = stateNumbers;
const { paused, releasing } = pausedNumbers;

/** Maximum number of hooks cached, to bound memory. */
const maxCached = 10_000;

export type Hook = HookBefore & {
  readonly closed: number;
  /** See `pausedNumbers`. */
  readonly paused: number;
  readonly position: number;
  /** The row has the due time of a delivery that is about to be written. */
  readonly isScheduled?: boolean;
};

/** The rows of hooks; within a transaction that the caller has begun. */
export type HookStore = {
  /**
   * Inserts or updates the hook, unless its row is up to date or newer, and returns the row. Resets the health of a hook that it
   * resumes. `dueAt`: for a new hook, when the delivery that is about to be written is due. A hook that is paused may have
   * waiting deliveries: see `holdWaiting`.
   */
  readonly put: (target: QueuedHook, dueAt?: number) => Hook;
  /** The change that holds the waiting deliveries of a paused hook; undefined if there are none, or it is not paused. */
  readonly holdWaiting: (hook: Hook) => LongChange | undefined;
  /** The row, if it is from the same position or a later one, and `holdWaiting` has nothing to do. */
  readonly findUpToDate: (target: QueuedHook) => Hook | undefined;
  /** The row. Throws `RangeError` if there is none: a delivery's hook has to be put before the delivery. */
  readonly find: (listenerId: string) => Hook;
};

export function openHookStore(
  database: Database.Database,
  {
    changes,
    tally,
    schedule,
  }: { readonly changes: HookChanges; readonly tally: Tally; readonly schedule: HookSchedule },
): HookStore {
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
  const read = database.prepare<[string], Hook>(
    `SELECT ${hookColumns}, next_due AS nextDue, due_since AS keptBackSince, closed, paused, position FROM listeners WHERE listener_id = ?`,
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

  /** Valid until any hook changes. */
  const cached = new Map<string, Hook>();
  let changesSeen: number | undefined;

  function findKnown(listenerId: string): Hook | undefined {
    const isOutdated = changes.count() !== changesSeen || cached.size >= maxCached;
    if (isOutdated && cached.size > 0) cached.clear(); // `clear` allocates a new table even if the map is empty
    changesSeen = changes.count();
    const hook = cached.get(listenerId) ?? read.get(listenerId);
    if (hook) cached.set(listenerId, hook);
    return hook;
  }

  function find(listenerId: string): Hook {
    const hook = findKnown(listenerId);
    if (!hook) throw new RangeError(`a delivery without its target: listener ${listenerId}`);
    return hook;
  }

  function holdWaiting(hook: Pick<Hook, 'key' | 'paused'>): LongChange | undefined {
    const { key } = hook;
    if (hook.paused !== paused || isAnyWaiting.get(key) === undefined) return undefined;
    return (limit) => {
      if (isPaused.get(key) === undefined) return { changed: 0, isDone: true }; // it was resumed between two parts
      const { changes: heldNow } = hold.run(key, limit);
      tally.add(waiting, -heldNow);
      tally.add(held, heldNow);
      return { changed: heldNow, isDone: heldNow < limit };
    };
  }

  const isUpToDate = (known: Hook, { position }: QueuedHook): boolean => BigInt(known.position) >= position;

  return {
    findUpToDate(target) {
      const known = findKnown(target.listenerId);
      return known && isUpToDate(known, target) && !holdWaiting(known) ? known : undefined;
    },
    put(target, dueAt) {
      const known = findKnown(target.listenerId);
      if (known && isUpToDate(known, target)) return known; // nearly always, as each batch has the hooks of its deliveries
      const row = rowOf(target);
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
      if (target.ordered && !known.ordered) lineUp.run(key);
      schedule.renew(key);
      return find(target.listenerId);
    },
    find,
    holdWaiting,
  };
}

const rowOf = ({ previousSecret, transform, ordered, ratePerSecond, paused, position, ...named }: QueuedHook) => ({
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

/** In the order of the statement's parameters: named parameters take nearly twice as long. */
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
