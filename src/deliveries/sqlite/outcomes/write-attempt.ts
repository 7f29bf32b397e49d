import { type AttemptReport, firstOfText } from '../../queue/delivery-log.js';
import type { Outcome } from '../../queue/leasing.js';
import { isFinal, stateAfter } from '../../queue/policy/delivery-state.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { LeaseRecord } from '../lease/leases.js';
import { type StateNumber, stateNames, stateNumbers } from '../schema.js';
import type { Shared } from '../shared.js';

/** Bounds the row; older attempts are dropped. */
const maxAttempts = 100;

/** SQL that appends a line to `log`. Each attempt has one line, so `attempts` tells when the log is full. */
const logWithLine = `ifnull(CASE WHEN attempts < ${maxAttempts} THEN log
  ELSE substr(log, instr(log, char(10)) + 1) END || char(10), '') || ?`;

export const toLine = ({ startedAt, durationMs, status, error, answer, headers, address }: AttemptReport): string =>
  JSON.stringify({ startedAt, durationMs, status, error, answer: answer && firstOfText(answer), headers, address });

export const fromLog = (log: string | null): readonly AttemptReport[] =>
  log === null ? [] : log.split('\n').map((line) => JSON.parse(line) as AttemptReport);

const { waiting } = stateNumbers;

type Row = { state: StateNumber; dueAt: number | null };

export type Attempted = Exclude<Outcome, { kind: 'released' }>;

export type WriteAttempt = (lease: LeaseRecord, outcome: Attempted, time: CallTime) => void;

export function openWriteAttempt({ database, tally }: Pick<Shared, 'database' | 'tally'>): WriteAttempt {
  const find = database.prepare<[number, string], Row>(
    'SELECT state, due_at AS dueAt FROM deliveries WHERE key = ? AND id = ?',
  );
  const write = database.prepare(
    `UPDATE deliveries SET state = ?, due_at = ?, ended_at = ?, attempts = attempts + 1, last_status = ?, last_error = ?,
       last_attempt_at = ?, log = ${logWithLine}
     WHERE key = ? AND id = ? AND state = ? AND due_at IS ?`,
  );

  /** Compare and set. Returns false if the row has another state or due time than `before`, which is rare. */
  function writeFrom(
    before: Row,
    { deliveryKey, redeliverAfterLease }: LeaseRecord,
    outcome: Attempted,
    { now, queueNow }: CallTime,
  ): boolean {
    const leased = { state: stateNames[before.state], redeliverAfterLease };
    const { state, dueAt = null } = stateAfter(leased, outcome, queueNow);
    const endedAt = isFinal(state) ? now : null;
    const { status = null, error = null, startedAt } = outcome.report;
    const written = [stateNumbers[state], dueAt, endedAt, status, error, startedAt, toLine(outcome.report)];
    const { changes } = write.run(...written, deliveryKey, outcome.id, before.state, before.dueAt);
    if (changes > 0) tally.move(before.state, stateNumbers[state]);
    return changes > 0;
  }

  return (lease, outcome, time) => {
    if (writeFrom({ state: waiting, dueAt: lease.dueAt }, lease, outcome, time)) return;
    const row = find.get(lease.deliveryKey, outcome.id);
    if (!row) return; // it was purged or deleted meanwhile: another delivery may have its key
    const redeliverAfterLease = lease.redeliverAfterLease || row.state === waiting; // another process has redelivered it
    writeFrom(row, { ...lease, redeliverAfterLease }, outcome, time);
  };
}
