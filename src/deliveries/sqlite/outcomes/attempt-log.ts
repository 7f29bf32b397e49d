import type { AttemptReport } from '../../queue/delivery-log.js';
import { firstOfText } from '../../queue/first-bytes.js';

/** Of a delivery, the latest attempts are kept. */
const maxAttempts = 100;

/** What `log` becomes with the line that is bound: as each attempt has one, it is full after so many attempts. */
export const logWithLine = `ifnull(CASE WHEN attempts < ${maxAttempts} THEN log
  ELSE substr(log, instr(log, char(10)) + 1) END || char(10), '') || ?`;

export const toLine = ({ startedAt, durationMs, status, error, answer, address }: AttemptReport): string =>
  JSON.stringify({ startedAt, durationMs, status, error, answer: answer && firstOfText(answer), address });

export const fromLog = (log: string | null): readonly AttemptReport[] =>
  log === null ? [] : log.split('\n').map((line) => JSON.parse(line) as AttemptReport); // as toLine wrote them
