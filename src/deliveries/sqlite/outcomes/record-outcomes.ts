import type Database from 'better-sqlite3';
import type { Outcome, Recorded, TroubledHook } from '../../queue/delivery-queue.js';
import { count, type HookAttempts, noAttempts } from '../../queue/hook-attempts.js';
import { afterAttempts, afterRelease, byClock, type HookHealth } from '../../queue/hook-health.js';
import type { QueueClock } from '../../queue/queue-clock.js';
import type { Unwritten } from '../enqueue/unwritten.js';
import type { WriteBehind } from '../enqueue/write-behind.js';
import type { OnRollback } from '../grouped-calls.js';
import type { HookSchedule } from '../lease/hook-schedule.js';
import type { Held, Leases } from '../lease/leases.js';
import { type StateNumber, stateNumbers } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';
import { logWithLine, toLine } from './attempt-log.js';
import type { AttemptStatistics } from './attempt-statistics.js';
import type { HookHealths } from './hook-healths.js';

const { waiting, succeeded, exhausted, cancelled, held } = stateNumbers;

type Parts = {
  readonly behind: Pick<WriteBehind, 'writeDelivered' | 'writeHook'>;
  readonly clock: QueueClock;
  readonly healths: HookHealths;
  readonly leases: Leases;
  readonly schedule: HookSchedule;
  readonly statistics: AttemptStatistics;
  readonly tally: Tally;
  readonly unwritten: Pick<Unwritten, 'held'>;
};

type Row = { readonly state: StateNumber; readonly dueAt: number | null };
type Attempted = Exclude<Outcome, { kind: 'released' }>;
type Name = Pick<TroubledHook, 'listenerId' | 'orgId' | 'hookUrl'>;

/** Writes what became of leased deliveries; within a transaction that the caller has begun. */
export function outcomeWriter(
  database: Database.Database,
  { behind, clock, healths, leases, schedule, statistics, tally, unwritten }: Parts,
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

  function writeAttempt(lease: Held, outcome: Attempted, now: number, changes: TallyChanges): void {
    if (writeFrom({ state: waiting, dueAt: lease.dueAt }, lease, outcome, now)) {
      changes.move(waiting, stateAfter(waiting, outcome.kind, lease.again));
      return;
    }
    const row = find.get(lease.delivery, outcome.id);
    if (!row) return; // it was cancelled and has been purged, or is forgotten: another may have its key
    const again = lease.again || row.state === waiting; // another process has asked for it
    writeFrom(row, { ...lease, again }, outcome, now);
    changes.move(row.state, stateAfter(row.state, outcome.kind, again));
  }

  /** Returns whether the row was that, as it nearly always is where nothing has changed since it was leased. */
  function writeFrom(before: Row, { delivery, again }: Held, outcome: Attempted, now: number): boolean {
    const state = stateAfter(before.state, outcome.kind, again);
    const dueAt = state === waiting ? dueAfter(outcome, again, now) : null;
    const endedAt = state === waiting || state === held ? null : now;
    const { status = null, error = null, startedAt } = outcome.report;
    const line = toLine(outcome.report);
    const written = [state, dueAt, endedAt, status, error, startedAt, line];
    return write.run(...written, delivery, outcome.id, before.state, before.dueAt).changes > 0;
  }

  const dueAfter = (outcome: Attempted, again: boolean, now: number): number =>
    clock.of(again || outcome.kind !== 'failed' ? now : outcome.retryAt);

  const outside = (health: HookHealth) => byClock(health, (time) => clock.outside(time));

  /** What is known of a hook after these attempts; what there is to tell of it. */
  function follow(key: number, attempts: HookAttempts, now: number, onRollback: OnRollback): TroubledHook | undefined {
    const before = healths.of(key);
    const { notBefore } = attempts;
    const onQueueTime = notBefore === undefined ? attempts : { ...attempts, notBefore: clock.of(notBefore) };
    const health = afterAttempts(before, onQueueTime, clock.of(now));
    const isTroubled = attempts.failed > 0 || (before.breaker !== undefined && health.breaker === undefined);
    const name = isTroubled ? nameOf.get(key) : undefined;
    if (isTroubled && !name) return undefined; // it has been removed meanwhile, or its organisation forgotten
    healths.keep(key, health, onRollback);
    return name && { ...name, before: outside(before), health: outside(health) };
  }

  /** A probe that was given back may be made again. */
  function giveBack({ listener }: Held, now: number, onRollback: OnRollback): void {
    const before = healths.of(listener);
    const health = afterRelease(before, clock.of(now));
    if (health === before) return;
    healths.remember(listener, health, onRollback);
    schedule.renew(listener);
  }

  return (outcomes, now, onRollback) => {
    clock.at(now);
    const renewed = new Set<number>();
    const attempts = new Map<number, HookAttempts>();
    const notSucceeded = new Set<number>();
    const changes = new TallyChanges();
    let counted = 0;

    function countAttempt(listener: number, outcome: Attempted): void {
      attempts.set(listener, count(attempts.get(listener) ?? noAttempts, outcome));
    }

    for (const outcome of outcomes) {
      const delivery = unwritten.held(outcome.id, outcome.lease, leases.moment());
      if (delivery && outcome.kind === 'succeeded') {
        counted += 1;
        if (behind.writeDelivered(delivery, outcome, now, onRollback)) changes.add(succeeded, 1);
        countAttempt(delivery.hook.key, outcome);
        continue;
      }
      if (delivery) behind.writeHook(delivery.hook.key, onRollback); // it goes on as any other
      const lease = leases.held(outcome.id, outcome.lease);
      if (!lease) continue;
      counted += 1;
      const { listener, ordered } = lease;
      if (outcome.kind !== 'succeeded') notSucceeded.add(listener);
      const ended = !ordered && !lease.again && (outcome.kind === 'succeeded' || outcome.kind === 'exhausted');
      leases.drop(outcome.id, { ended });
      onRollback(() => leases.hold(lease));
      if (outcome.kind === 'released') {
        giveBack(lease, now, onRollback);
        continue;
      }
      writeAttempt(lease, outcome, now, changes);
      renewed.add(listener);
      countAttempt(listener, outcome);
    }
    changes.writeTo(tally);
    // The hook may be kept back from now on, or has something free again that came before.
    for (const key of notSucceeded) behind.writeHook(key, onRollback);
    for (const key of renewed) schedule.renewAfterLease(key);
    const troubled: TroubledHook[] = [];
    for (const [key, ofHook] of attempts) {
      statistics.add(key, ofHook, now);
      const told = follow(key, ofHook, now, onRollback);
      if (told) troubled.push(told);
    }
    return { counted, troubled };
  };
}

/** While the attempt was under way, it may have been cancelled or held: what it brought is true all the same. */
function stateAfter(before: StateNumber, kind: Attempted['kind'], again: boolean): StateNumber {
  if (again && (before === waiting || before === held)) return before;
  if (kind === 'succeeded') return succeeded;
  if (before !== waiting && before !== held) return cancelled;
  return kind === 'exhausted' ? exhausted : before;
}
