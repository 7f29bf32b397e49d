import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { LeasedBatch, LeaseRequest } from '../../queue/leasing.js';
import { LeaseRoom } from '../../queue/policy/lease-room.js';
import { openDueListeners, openFirstDue } from './due-listeners.js';
import { openFindDue } from './find-due-deliveries.js';
import { type BusyListeners, LeasePass, type LeaseStores } from './lease-pass.js';
import type { ListenerChanges } from './listener-changes.js';
import { openWaitingDeliveries } from './waiting-deliveries.js';

type Parts = LeaseStores & { readonly changes: ListenerChanges };

/**
 * Finds and leases due deliveries; within a transaction that the caller has begun. All it writes is the schedule of listeners
 * that are kept back.
 */
export function openLease(
  database: Database.Database,
  { changes, ...stores }: Parts,
): (request: LeaseRequest, onRollback: OnRollback) => LeasedBatch {
  const { leases, writeBehind } = stores;
  const dueListeners = openDueListeners(database);
  const findDue = openFindDue(database, leases);
  const waitingDeliveries = openWaitingDeliveries(database);
  const firstDue = openFirstDue(database, changes);
  const busyListeners: BusyListeners = new Map();

  return (request, onRollback) => {
    leases.expire();
    writeBehind.prepareLease(request, firstDue(), onRollback);
    const pass = new LeasePass(
      { ...stores, dueListeners, findDue, busyListeners },
      {
        request,
        onRollback,
        lease: leases.next(),
        leaseExpiresAt: leases.monotonicNow() + request.leaseMs,
        read: waitingDeliveries(),
        room: new LeaseRoom(request),
      },
    );
    return pass.run(firstDue());
  };
}
