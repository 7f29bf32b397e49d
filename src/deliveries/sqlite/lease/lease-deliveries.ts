import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { LeasedBatch, LeaseRequest } from '../../queue/leasing.js';
import { LeaseRoom } from '../../queue/policy/lease-room.js';
import { openDueHooks, openFirstDue } from './due-hooks.js';
import { openFindDue } from './find-due-deliveries.js';
import type { HookChanges } from './hook-changes.js';
import { type BusyHooks, LeasePass, type LeaseStores } from './lease-pass.js';
import { openWaitingDeliveries } from './waiting-deliveries.js';

type Parts = LeaseStores & { readonly changes: HookChanges };

/**
 * Finds and leases due deliveries; within a transaction that the caller has begun. All it writes is the schedule of hooks
 * that are kept back.
 */
export function leaseTaker(
  database: Database.Database,
  { changes, ...stores }: Parts,
): (request: LeaseRequest, onRollback: OnRollback) => LeasedBatch {
  const { buffer, bufferWriter, leases } = stores;
  const dueHooks = openDueHooks(database);
  const findDue = openFindDue(database, leases);
  const waitingDeliveries = openWaitingDeliveries(database);
  const firstDue = openFirstDue(database, changes);
  const busyHooks: BusyHooks = new Map();

  return (request, onRollback) => {
    leases.expire();
    buffer.expire(leases.monotonicNow());
    if (request.ratePerSecond !== undefined) bufferWriter.flush(onRollback); // a rate applies to written deliveries
    const pass = new LeasePass(
      { ...stores, dueHooks, findDue, busyHooks },
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
