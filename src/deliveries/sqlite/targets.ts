import type Database from 'better-sqlite3';
import type { Target } from '../delivery.js';
import { hookColumns } from './due-hooks.js';
import type { HookSchedule } from './hook-schedule.js';
import type { HookBefore } from './looks.js';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

const { waiting, held } = stateNumbers;

export type Hook = HookBefore & { readonly closed: number; readonly paused: number; readonly position: number };

/** What hooks are; within a transaction that the caller has begun. */
export type Targets = {
  /**
   * Takes it, unless a later one is there; what waits for a hook that it pauses is held, and one that it resumes begins anew.
   * Returns what is there then.
   */
  readonly put: (target: Target) => Hook;
  readonly find: (listenerId: string) => Hook | undefined;
};

export function openTargets(
  database: Database.Database,
  { tally, schedule }: { readonly tally: Tally; readonly schedule: HookSchedule },
): Targets {
  const put = database.prepare(
    `INSERT INTO listeners (listener_id, org_id, hook_url, key_generation, secret_version, previous_secret, ordered,
       rate_per_second, paused, position)
     VALUES (@listenerId, @orgId, @hookUrl, @keyGeneration, @secretVersion, @previousSecret, @ordered,
       @ratePerSecond, @paused, @position)
     ON CONFLICT (listener_id) DO UPDATE SET
       org_id = excluded.org_id, hook_url = excluded.hook_url, key_generation = excluded.key_generation,
       secret_version = excluded.secret_version, previous_secret = excluded.previous_secret,
       ordered = excluded.ordered, rate_per_second = excluded.rate_per_second, paused = excluded.paused,
       position = excluded.position, health = CASE WHEN paused AND NOT excluded.paused THEN NULL ELSE health END`,
  );
  const find = database.prepare<[string], Hook>(
    `SELECT ${hookColumns}, next_due AS nextDue, due_since AS keptBackSince, closed, paused, position FROM listeners WHERE listener_id = ?`,
  );
  const hold = database.prepare(
    `UPDATE deliveries SET state = ${held}, due_at = NULL WHERE listener = ? AND state = ${waiting}`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries INDEXED BY deliveries_waiting SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE listener = ? AND state = ${waiting} AND turn IS NULL`,
  );

  return {
    put(target) {
      const known = find.get(target.listenerId);
      if (known && BigInt(known.position) >= target.position) return known; // nearly always: it comes along with each delivery
      const row = rowOf(target);
      const { lastInsertRowid } = put.run(row);
      if (!known)
        return { key: Number(lastInsertRowid), health: null, nextDue: null, keptBackSince: null, closed: 0, ...row };
      const { key } = known;
      const { paused, ordered } = target;
      if (paused) {
        const { changes: heldNow } = hold.run(key);
        tally.add(waiting, -heldNow);
        tally.add(held, heldNow);
      }
      if (ordered) lineUp.run(key);
      schedule.renew(key, ordered);
      return find.get(target.listenerId) as Hook; // it has just been put there
    },
    find: (listenerId) => find.get(listenerId),
  };
}

const rowOf = ({ previousSecret, ordered, ratePerSecond, paused, position, ...named }: Target) => ({
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
