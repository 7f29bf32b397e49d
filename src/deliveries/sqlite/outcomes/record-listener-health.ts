import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { TroubledListener } from '../../queue/leasing.js';
import { type RecordedOutcomes, updateHealth } from '../../queue/policy/health-update.js';
import type { ListenerSchedule } from '../lease/listener-schedule.js';
import type { ListenerHealths } from './listener-healths.js';

type Name = Pick<TroubledListener, 'listenerId' | 'orgId' | 'hookUrl'>;

/** Updates the health of listeners after outcomes; within a transaction that the caller has begun. */
export function openRecordHealth(
  database: Database.Database,
  { healths, schedule }: { readonly healths: ListenerHealths; readonly schedule: ListenerSchedule },
) {
  const nameOf = database.prepare<[number], Name>(
    `SELECT listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl FROM listeners
     WHERE key = ? AND org_id IS NOT NULL AND NOT closed`,
  );

  /** Returns the listener if its health is of interest to the caller. `now`: queue time. */
  return (
    key: number,
    observed: RecordedOutcomes,
    now: number,
    onRollback: OnRollback,
  ): TroubledListener | undefined => {
    const stored = healths.of(key);
    const { before, health, isTroubled } = updateHealth(stored, observed, now);
    if (before !== stored) schedule.renew(key); // another probe may be made
    if (!observed.attempts) {
      if (health !== stored) healths.remember(key, health, onRollback);
      return undefined;
    }
    const name = isTroubled ? nameOf.get(key) : undefined;
    if (isTroubled && !name) return undefined; // its gate was closed meanwhile, or its organisation deleted
    healths.keep(key, health, onRollback);
    return name && { ...name, before, health };
  };
}
