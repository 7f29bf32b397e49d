import type Database from 'better-sqlite3';
import type { QueuedHook } from '../../queue/delivery.js';
import { hookColumns } from '../lease/due-hooks.js';
import type { HookChanges } from '../lease/hook-changes.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { HookBefore } from '../lease/looks.js';
import { stateNumbers } from '../schema.js';
import type { Tally } from '../tally.js';

const { waiting, held } = stateNumbers;

/** So many hooks are remembered at most. */
const maxRemembered = 10_000;

export type Hook = HookBefore & {
  readonly closed: number;
  readonly paused: number;
  readonly position: number;
  /** Its row says already that something is due, which is about to be written. */
  readonly isScheduled?: boolean;
};

/** What hooks are; within a transaction that the caller has begun. */
export type Targets = {
  /**
   * Takes it, unless a later one is there; what waits for a hook that it pauses is held, and one that it resumes begins anew.
   * Returns what is there then. `dueAt`: when something that is about to be written of a new one is due.
   */
  readonly put: (target: QueuedHook, dueAt?: number) => Hook;
  /** What is there, where it is no earlier one. */
  readonly standing: (target: QueuedHook) => Hook | undefined;
  /** What is there. Throws `RangeError` where nothing is: a delivery names no hook that has not been put. */
  readonly find: (listenerId: string) => Hook;
};

export function openTargets(
  database: Database.Database,
  {
    changes,
    tally,
    schedule,
  }: { readonly changes: HookChanges; readonly tally: Tally; readonly schedule: HookSchedule },
): Targets {
  const put = database.prepare(
    `INSERT INTO listeners (listener_id, org_id, hook_url, key_generation, secret_version, previous_secret, ordered,
       rate_per_second, paused, position, next_due)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (listener_id) DO UPDATE SET
       org_id = excluded.org_id, hook_url = excluded.hook_url, key_generation = excluded.key_generation,
       secret_version = excluded.secret_version, previous_secret = excluded.previous_secret,
       ordered = excluded.ordered, rate_per_second = excluded.rate_per_second, paused = excluded.paused,
       position = excluded.position, health = CASE WHEN paused AND NOT excluded.paused THEN NULL ELSE health END`,
  );
  const read = database.prepare<[string], Hook>(
    `SELECT ${hookColumns}, next_due AS nextDue, due_since AS keptBackSince, closed, paused, position FROM listeners WHERE listener_id = ?`,
  );
  const hold = database.prepare(
    `UPDATE deliveries SET state = ${held}, due_at = NULL WHERE listener = ? AND state = ${waiting}`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries INDEXED BY deliveries_waiting SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE listener = ? AND state = ${waiting} AND turn IS NULL`,
  );

  /** As they have been since nothing changed any hook. */
  const remembered = new Map<string, Hook>();
  let changesSeen: number | undefined;

  function look(listenerId: string): Hook | undefined {
    const isOutdated = changes.count() !== changesSeen || remembered.size >= maxRemembered;
    if (isOutdated && remembered.size > 0) remembered.clear(); // a new table each time, also where there is nothing in it
    changesSeen = changes.count();
    const hook = remembered.get(listenerId) ?? read.get(listenerId);
    if (hook) remembered.set(listenerId, hook);
    return hook;
  }

  function find(listenerId: string): Hook {
    const hook = look(listenerId);
    if (!hook) throw new RangeError(`a delivery without its target: listener ${listenerId}`);
    return hook;
  }

  const isStanding = (known: Hook | undefined, { position }: QueuedHook): known is Hook =>
    known !== undefined && BigInt(known.position) >= position;

  return {
    standing(target) {
      const known = look(target.listenerId);
      return isStanding(known, target) ? known : undefined;
    },
    put(target, dueAt) {
      const known = look(target.listenerId);
      if (isStanding(known, target)) return known; // nearly always: it comes along with each delivery
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
      const { paused, ordered } = target;
      if (paused) {
        const { changes: heldNow } = hold.run(key);
        tally.add(waiting, -heldNow);
        tally.add(held, heldNow);
      }
      if (ordered) lineUp.run(key);
      schedule.renew(key);
      return find(target.listenerId);
    },
    find,
  };
}

const rowOf = ({ previousSecret, ordered, ratePerSecond, paused, position, ...named }: QueuedHook) => ({
  listenerId: named.listenerId,
  orgId: named.orgId,
  hookUrl: named.hookUrl,
  keyGeneration: named.keyGeneration,
  secretVersion: named.secretVersion,
  previousSecret: previousSecret ? JSON.stringify(previousSecret) : null,
  ordered: Number(ordered),
  ratePerSecond: ratePerSecond ?? null,
  paused: Number(paused),
  position: Number(position),
});

/** In the order of the statement: by their names they take nearly twice as long. */
const valuesOf = (row: ReturnType<typeof rowOf>): readonly unknown[] => [
  ...[row.listenerId, row.orgId, row.hookUrl, row.keyGeneration, row.secretVersion, row.previousSecret],
  ...[row.ordered, row.ratePerSecond, row.paused, row.position],
];
