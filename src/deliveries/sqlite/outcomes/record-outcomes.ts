import type Database from 'better-sqlite3';
import type { Outcome, Recorded, TroubledHook } from '../../queue/delivery-queue.js';
import { count, type HookAttempts, noAttempts } from '../../queue/policy/hook-attempts.js';
import { afterAttempts, afterRelease, byClock, type HookHealth } from '../../queue/policy/hook-health.js';
import type { QueueClock } from '../../queue/policy/queue-clock.js';
import type { BufferWriter } from '../enqueue/buffer-writer.js';
import type { WriteBehindBuffer } from '../enqueue/write-behind-buffer.js';
import type { OnRollback } from '../group-commit.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { LeaseRecord, Leases } from '../lease/leases.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import { logWithLine, toLine } from './attempt-log.js';
import type { AttemptStatistics } from './attempt-statistics.js';
import type { HookHealths } from './hook-healths.js';

const { waiting, succeeded, exhausted, cancelled, held } = stateNumbers;

type Parts = {
  readonly bufferWriter: Pick<BufferWriter, 'writeDelivered' | 'flushHook'>;
  readonly clock: QueueClock;
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
  { bufferWriter, clock, healths, leases, schedule, statistics, tally, buffer }: Parts,
): (outcomes: readonly Outcome[], now: number, onRollback: OnRollback) => Recorded {
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

  function writeAttempt(lease: LeaseRecord, outcome: Attempted, now: number, changes: TallyChanges): void {
    if (writeFrom({ state: waiting, dueAt: lease.dueAt }, lease, outcome, now)) {
      changes.move(waiting, stateAfter(waiting, outcome.kind, lease.redeliverAfterLease));
      return;
    }
    const row = find.get(lease.deliveryKey, outcome.id);
    if (!row) return; // it was purged or deleted meanwhile: another delivery may have its key
    const redeliverAfterLease = lease.redeliverAfterLease || row.state === waiting; // another process has redelivered it
    writeFrom(row, { ...lease, redeliverAfterLease }, outcome, now);
    changes.move(row.state, stateAfter(row.state, outcome.kind, redeliverAfterLease));
  }

  /** Compare and set. Returns false if the row has another state or due time than `before`, which is rare. */
  function writeFrom(
    before: Row,
    { deliveryKey, redeliverAfterLease }: LeaseRecord,
    outcome: Attempted,
    now: number,
  ): boolean {
    const state = stateAfter(before.state, outcome.kind, redeliverAfterLease);
    const dueAt = state === waiting ? dueAfter(outcome, redeliverAfterLease, now) : null;
    const endedAt = state === waiting || state === held ? null : now;
    const { status = null, error = null, startedAt } = outcome.report;
    const line = toLine(outcome.report);
    const written = [state, dueAt, endedAt, status, error, startedAt, line];
    return write.run(...written, deliveryKey, outcome.id, before.state, before.dueAt).changes > 0;
  }

  const dueAfter = (outcome: Attempted, redeliverAfterLease: boolean, now: number): number =>
    clock.of(redeliverAfterLease || outcome.kind !== 'failed' ? now : outcome.retryAt);

  const outside = (health: HookHealth) => byClock(health, (time) => clock.outside(time));

  /** Updates the hook's health. Returns it if its health is of interest to the caller: after a failure, or when its breaker closes. */
  function updateHealth(
    key: number,
    attempts: HookAttempts,
    now: number,
    onRollback: OnRollback,
  ): TroubledHook | undefined {
    const before = healths.of(key);
    const { notBefore } = attempts;
    const onQueueTime = notBefore === undefined ? attempts : { ...attempts, notBefore: clock.of(notBefore) };
    const health = afterAttempts(before, onQueueTime, clock.of(now));
    const isTroubled = attempts.failed > 0 || (before.breaker !== undefined && health.breaker === undefined);
    const name = isTroubled ? nameOf.get(key) : undefined;
    if (isTroubled && !name) return undefined; // its gate was closed meanwhile, or its organisation deleted
    healths.keep(key, health, onRollback);
    return name && { ...name, before: outside(before), health: outside(health) };
  }

  /** A released probe of the circuit breaker may be made again. */
  function giveBack({ hookKey }: LeaseRecord, now: number, onRollback: OnRollback): void {
    const before = healths.of(hookKey);
    const health = afterRelease(before, clock.of(now));
    if (health === before) return;
    healths.remember(hookKey, health, onRollback);
    schedule.renew(hookKey);
  }

  return (outcomes, now, onRollback) => {
    clock.at(now);
    const renewed = new Set<number>();
    const attempts = new Map<number, HookAttempts>();
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
        if (bufferWriter.writeDelivered(delivery, outcome, now, onRollback)) changes.add(succeeded, 1);
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
        giveBack(lease, now, onRollback);
        continue;
      }
      writeAttempt(lease, outcome, now, changes);
      renewed.add(hookKey);
      countAttempt(hookKey, outcome);
    }
    changes.writeTo(tally);
    // The hook may be kept back from now on, or an earlier delivery of it is free again.
    for (const key of notSucceeded) bufferWriter.flushHook(key, onRollback);
    for (const key of renewed) schedule.renewAfterLease(key);
    const troubled: TroubledHook[] = [];
    for (const [key, ofHook] of attempts) {
      statistics.add(key, ofHook, now);
      const hook = updateHealth(key, ofHook, now, onRollback);
      if (hook) troubled.push(hook);
    }
    return { counted, troubled };
  };
}

/** The delivery may have been cancelled or held during the attempt; a success counts all the same. */
function stateAfter(before: StateNumber, kind: Attempted['kind'], redeliverAfterLease: boolean): StateNumber {
  if (redeliverAfterLease && (before === waiting || before === held)) return before;
  if (kind === 'succeeded') return succeeded;
  if (before !== waiting && before !== held) return cancelled;
  return kind === 'exhausted' ? exhausted : before;
}
