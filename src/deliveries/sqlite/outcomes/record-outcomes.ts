import type Database from 'better-sqlite3';
import type { Outcome, Recorded, TroubledHook } from '../../queue/leasing.js';
import { isFinal, stateAfter } from '../../queue/policy/delivery-state.js';
import { type RecordedOutcomes, updateHealth } from '../../queue/policy/health-update.js';
import { count, type HookAttempts, noAttempts } from '../../queue/policy/hook-attempts.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { BufferWriter } from '../enqueue/buffer-writer.js';
import type { WriteBehindBuffer } from '../enqueue/write-behind-buffer.js';
import type { OnRollback } from '../group-commit.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { LeaseRecord, Leases } from '../lease/leases.js';
import { type StateNumber, stateNames, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import { logWithLine, toLine } from './attempt-log.js';
import type { AttemptStatistics } from './attempt-statistics.js';
import type { HookHealths } from './hook-healths.js';

const { waiting, succeeded } = stateNumbers;

type Parts = {
  readonly bufferWriter: Pick<BufferWriter, 'writeDelivered' | 'flushHook'>;
  readonly healths: HookHealths;
  readonly leases: Leases;
  readonly schedule: HookSchedule;
  readonly statistics: AttemptStatistics;
  readonly tally: Tally;
  readonly buffer: Pick<WriteBehindBuffer, 'findLeased'>;
};

type Row = { readonly state: StateNumber; readonly dueAt: number | null };
type Attempted = Exclude<Outcome, { kind: 'released' }>;
type Name = Pick<TroubledHook, 'listenerId' | 'orgId' | 'hookUrl'>;

/** Records the outcomes of leased deliveries; within a transaction that the caller has begun. */
export function outcomeWriter(
  database: Database.Database,
  { bufferWriter, healths, leases, schedule, statistics, tally, buffer }: Parts,
): (outcomes: readonly Outcome[], time: CallTime, onRollback: OnRollback) => Recorded {
  const find = database.prepare<[number, string], Row>(
    'SELECT state, due_at AS dueAt FROM deliveries WHERE key = ? AND id = ?',
  );
  const write = database.prepare(
    `UPDATE deliveries SET state = ?, due_at = ?, ended_at = ?, attempts = attempts + 1, last_status = ?, last_error = ?,
       last_attempt_at = ?, log = ${logWithLine}
     WHERE key = ? AND id = ? AND state = ? AND due_at IS ?`,
  );
  const nameOf = database.prepare<[number], Name>(
    `SELECT listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl FROM listeners
     WHERE key = ? AND org_id IS NOT NULL AND NOT closed`,
  );

  function writeAttempt(lease: LeaseRecord, outcome: Attempted, time: CallTime, changes: TallyChanges): void {
    const leased = { state: waiting, dueAt: lease.dueAt };
    const written = writeFrom(leased, lease, outcome, time);
    if (written !== undefined) {
      changes.move(waiting, written);
      return;
    }
    const row = find.get(lease.deliveryKey, outcome.id);
    if (!row) return; // it was purged or deleted meanwhile: another delivery may have its key
    const redeliverAfterLease = lease.redeliverAfterLease || row.state === waiting; // another process has redelivered it
    changes.move(row.state, writeFrom(row, { ...lease, redeliverAfterLease }, outcome, time) ?? row.state);
  }

  /**
   * Compare and set. Returns the new state, or undefined if the row has another state or due time than `before`, which is
   * rare.
   */
  function writeFrom(
    before: Row,
    { deliveryKey, redeliverAfterLease }: LeaseRecord,
    outcome: Attempted,
    { now, queueNow }: CallTime,
  ): StateNumber | undefined {
    const leased = { state: stateNames[before.state], redeliverAfterLease };
    const { state, dueAt = null } = stateAfter(leased, outcome, queueNow);
    const endedAt = isFinal(state) ? now : null;
    const { status = null, error = null, startedAt } = outcome.report;
    const written = [stateNumbers[state], dueAt, endedAt, status, error, startedAt, toLine(outcome.report)];
    const { changes } = write.run(...written, deliveryKey, outcome.id, before.state, before.dueAt);
    return changes > 0 ? stateNumbers[state] : undefined;
  }

  /** Updates the hook's health. Returns the hook if its health is of interest to the caller. */
  function recordHealth(
    key: number,
    observed: RecordedOutcomes,
    now: number,
    onRollback: OnRollback,
  ): TroubledHook | undefined {
    const stored = healths.of(key);
    const { before, health, isTroubled } = updateHealth(stored, observed, now);
    if (!observed.attempts) {
      if (health === stored) return undefined;
      healths.remember(key, health, onRollback);
      schedule.renew(key);
      return undefined;
    }
    const name = isTroubled ? nameOf.get(key) : undefined;
    if (isTroubled && !name) return undefined; // its gate was closed meanwhile, or its organisation deleted
    healths.keep(key, health, onRollback);
    return name && { ...name, before, health };
  }

  return (outcomes, time, onRollback) => {
    const renewed = new Set<number>();
    const attempts = new Map<number, HookAttempts>();
    const released = new Set<number>();
    const notSucceeded = new Set<number>();
    const changes = new TallyChanges();
    let counted = 0;

    function countAttempt(hookKey: number, outcome: Attempted): void {
      attempts.set(hookKey, count(attempts.get(hookKey) ?? noAttempts, outcome));
    }

    for (const outcome of outcomes) {
      const delivery = buffer.findLeased(outcome.id, outcome.lease, leases.monotonicNow());
      if (delivery && outcome.kind === 'succeeded') {
        counted += 1;
        if (bufferWriter.writeDelivered(delivery, outcome, time.now, onRollback)) changes.add(succeeded, 1);
        countAttempt(delivery.hook.key, outcome);
        continue;
      }
      if (delivery) bufferWriter.flushHook(delivery.hook.key, onRollback); // from here on it is treated as a delivery of the database
      const lease = leases.find(outcome.id, outcome.lease);
      if (!lease) continue;
      counted += 1;
      const { hookKey, ordered } = lease;
      if (outcome.kind !== 'succeeded') notSucceeded.add(hookKey);
      const ended =
        !ordered && !lease.redeliverAfterLease && (outcome.kind === 'succeeded' || outcome.kind === 'exhausted');
      leases.drop(outcome.id, { ended });
      onRollback(() => leases.hold(lease));
      if (outcome.kind === 'released') {
        released.add(hookKey);
        continue;
      }
      writeAttempt(lease, outcome, time, changes);
      renewed.add(hookKey);
      countAttempt(hookKey, outcome);
    }
    changes.writeTo(tally);
    // The hook may be kept back from now on, or an earlier delivery of it is free again.
    for (const key of notSucceeded) bufferWriter.flushHook(key, onRollback);
    for (const key of renewed) schedule.renewAfterLease(key);
    const troubled: TroubledHook[] = [];
    for (const [key, ofHook] of attempts) statistics.add(key, ofHook, time.now);
    for (const key of new Set([...released, ...attempts.keys()])) {
      const observed = { attempts: attempts.get(key), released: released.has(key) };
      const hook = recordHealth(key, observed, time.queueNow, onRollback);
      if (hook) troubled.push(hook);
    }
    return { counted, troubled };
  };
}
