import type Database from 'better-sqlite3';
import type { Target } from '../delivery.js';
import { hookColumns } from './due-hooks.js';
import type { HookSchedule } from './hook-schedule.js';
import { stateNumbers } from './schema.js';
import type { HookBefore } from './take-new.js';
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
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (listener_id) DO UPDATE SET
       org_id = excluded.org_id, hook_url = excluded.hook_url, key_generation = excluded.key_generation,
       secret_version = excluded.secret_version, previous_secret = excluded.previous_secret,
       ordered = excluded.ordered, rate_per_second = excluded.rate_per_second, paused = excluded.paused,
       position = excluded.position, health = CASE WHEN paused AND NOT excluded.paused THEN NULL ELSE health END`,
  );
  const find = database.prepare<[string], Hook>(
    `SELECT ${hookColumns}, closed, paused, position FROM listeners WHERE listener_id = ?`,
  );
  const hold = database.prepare(
    `UPDATE deliveries SET state = ${held}, due_at = NULL WHERE listener = ? AND state = ${waiting}`,
  );
  const lineUp = database.prepare(
    `UPDATE deliveries INDEXED BY deliveries_waiting SET turn = (SELECT position FROM messages WHERE messages.key = deliveries.message)
     WHERE listener = ? AND state = ${waiting} AND turn IS NULL`,
  );

  return {
    put({ listenerId, orgId, hookUrl, keyGeneration, secretVersion, previousSecret, position, ...target }) {
      const known = find.get(listenerId);
      if (known && BigInt(known.position) >= position) return known; // nearly always: it comes along with each delivery
      const { ordered, ratePerSecond, paused } = target;
      put.run(
        ...[listenerId, orgId, hookUrl, keyGeneration, secretVersion],
        ...[previousSecret ? JSON.stringify(previousSecret) : null, Number(ordered), ratePerSecond ?? null],
        ...[Number(paused), position],
      );
      const written = find.get(listenerId) as Hook; // it has just been put there
      if (!known) return written; // nothing waits for it
      const { key } = known;
      if (paused) {
        const { changes: heldNow } = hold.run(key);
        tally.add(waiting, -heldNow);
        tally.add(held, heldNow);
      }
      if (ordered) lineUp.run(key);
      schedule.renew(key, ordered);
      return find.get(listenerId) as Hook;
    },
    find: (listenerId) => find.get(listenerId),
  };
}
