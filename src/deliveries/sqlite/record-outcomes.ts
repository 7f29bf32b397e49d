import type Database from 'better-sqlite3';
import type { Outcome } from '../delivery-queue.js';
import type { OnRollback } from './grouped-calls.js';
import type { Leases } from './leases.js';
import { stateNumbers } from './schema.js';
import type { Tally } from './tally.js';

const { waiting, succeeded, exhausted, cancelled } = stateNumbers;

/** Writes what became of leased deliveries; within a transaction that the caller has begun. Returns how many counted. */
export function outcomeWriter(
  database: Database.Database,
  { leases, tally }: { readonly leases: Leases; readonly tally: Tally },
): (outcomes: readonly Outcome[], now: number, onRollback: OnRollback) => number {
  const stateOf = database.prepare<[number], number>('SELECT state FROM deliveries WHERE key = ?').pluck();
  const write = database.prepare(
    `UPDATE deliveries SET state = ?, due_at = ?, attempts = attempts + 1, last_status = ?, last_error = ?,
       last_attempt_at = ?
     WHERE key = ?`,
  );
  const findNext = database
    .prepare<[number], number | null>('SELECT min(due_at) FROM deliveries WHERE listener = ? AND state = 0')
    .pluck();
  const setNext = database.prepare('UPDATE listeners SET next_due = @next WHERE key = @key AND next_due IS NOT @next');

  function writeAttempt(key: number, outcome: Exclude<Outcome, { kind: 'released' }>): void {
    const before = stateOf.get(key) ?? cancelled;
    // The gate closed while the attempt was under way: what it brought is true all the same, but nothing follows from it.
    const wasCancelled = before === cancelled;
    const after =
      outcome.kind === 'succeeded'
        ? succeeded
        : wasCancelled
          ? cancelled
          : outcome.kind === 'failed'
            ? waiting
            : exhausted;
    const dueAt = outcome.kind === 'failed' && !wasCancelled ? outcome.retryAt : null;
    const { status, error, startedAt } = outcome.report;
    write.run(after, dueAt, status ?? null, error ?? null, startedAt, key);
    if (before !== after) {
      tally.add(before, -1);
      tally.add(after, 1);
    }
  }

  return (outcomes, now, onRollback) => {
    const listeners = new Set<number>();
    let counted = 0;
    for (const outcome of outcomes) {
      const held = leases.held(outcome.id, outcome.lease, now);
      if (!held) continue;
      counted += 1;
      leases.drop(outcome.id);
      onRollback(() => leases.hold(outcome.id, held));
      if (outcome.kind === 'released') continue;
      writeAttempt(held.delivery, outcome);
      listeners.add(held.listener);
    }
    for (const key of listeners) setNext.run({ key, next: findNext.get(key) });
    return counted;
  };
}
