import type { DeliveryState } from '../../delivery.js';
import { type AttemptReport, firstOfText } from '../../delivery-log.js';
import type { Outcome } from '../../leasing.js';
import { isFinal, stateAfter } from '../../policy/delivery-state.js';
import type { CallTime } from '../../policy/queue-clock.js';
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

type Row = { state: StateNumber; requests: number };

export type Attempted = Exclude<Outcome, { kind: 'released' }>;

/**
 * Returns true if the delivery has ended. Nothing is written if the row has another number of attempts than it was read
 * with; if another redelivery was requested since, the delivery is due again.
 */
export type WriteAttempt = (lease: LeaseRecord, outcome: Attempted, time: CallTime) => boolean;

export function openWriteAttempt({ database, stateCounts }: Pick<Shared, 'database' | 'stateCounts'>): WriteAttempt {
  const find = database.prepare<[number, string, number], Row>(
    'SELECT state, requests FROM deliveries WHERE key = ? AND id = ? AND attempts = ?',
  );
  const write = database.prepare(
    `UPDATE deliveries SET state = ?, due_at = ?, ended_at = ?, attempts = attempts + 1, last_status = ?, last_error = ?,
       last_attempt_at = ?, log = ${logWithLine}
     WHERE key = ? AND id = ? AND attempts = ? AND state = ? AND requests = ?`,
  );

  /** Compare and set. Returns the new state, undefined if the row is another one than `before`, which is rare. */
  function writeFrom(
    before: Row,
    { deliveryKey, attempts, requests }: LeaseRecord,
    outcome: Attempted,
    { now, queueNow }: CallTime,
  ): DeliveryState | undefined {
    const leased = { state: stateNames[before.state], redeliverAfterLease: before.requests !== requests };
    const { state, dueAt = null } = stateAfter(leased, outcome, queueNow);
    const endedAt = isFinal(state) ? now : null;
    const { status = null, error = null, startedAt } = outcome.report;
    const written = [stateNumbers[state], dueAt, endedAt, status, error, startedAt, toLine(outcome.report)];
    const { changes } = write.run(...written, deliveryKey, outcome.id, attempts, before.state, before.requests);
    if (changes === 0) return undefined;
    stateCounts.move(before.state, stateNumbers[state]);
    return state;
  }

  return (lease, outcome, time) => {
    const asRead = writeFrom({ state: waiting, requests: lease.requests }, lease, outcome, time);
    if (asRead !== undefined) return isFinal(asRead);
    const row = find.get(lease.deliveryKey, outcome.id, lease.attempts);
    if (!row) return true; // it was purged or deleted meanwhile: another delivery may have its key
    return isFinal(writeFrom(row, lease, outcome, time) ?? 'waiting');
  };
}
