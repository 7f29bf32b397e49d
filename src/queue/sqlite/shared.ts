import type Database from 'better-sqlite3';
import { Leases } from './lease/leases.js';
import { FullyLeasedListeners, openListenerChanges, openListenerSchedule } from './lease/listener-schedule.js';
import { openListenerHealths } from './outcomes/listener-healths.js';
import { openStateCounts } from './outcomes/statistics.js';

/** A part of the port, whose members run within a transaction that the caller has begun. */
export type InTransaction<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

export type Shared = ReturnType<typeof openShared>;

export function openShared(database: Database.Database) {
  const changes = openListenerChanges(database);
  const fullyLeased = new FullyLeasedListeners();
  const leases = new Leases(fullyLeased);
  const healths = openListenerHealths(database, { changes, fullyLeased });
  const schedule = openListenerSchedule(database, { changes, fullyLeased });
  return { database, changes, fullyLeased, leases, healths, schedule, stateCounts: openStateCounts(database) };
}
