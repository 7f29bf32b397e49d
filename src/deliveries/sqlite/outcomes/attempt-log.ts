import type { AttemptReport } from '../../queue/delivery-log.js';
import { firstOfText } from '../../queue/first-bytes.js';

/** Maximum number of attempts in a delivery's log, to bound its row. Older ones are dropped. */
const maxAttempts = 100;

/** SQL for `log` with the bound line appended. Each attempt has one line, so that `attempts` tells when the log is full. */
export const logWithLine = `ifnull(CASE WHEN attempts < ${maxAttempts} THEN log
  ELSE substr(log, instr(log, char(10)) + 1) END || char(10), '') || ?`;

export const toLine = ({ startedAt, durationMs, status, error, answer, address }: AttemptReport): string =>
  JSON.stringify({ startedAt, durationMs, status, error, answer: answer && firstOfText(answer), address });

export const fromLog = (log: string | null): readonly AttemptReport[] =>
  log === null ? [] : log.split('\n').map((line) => JSON.parse(line) as AttemptReport); // as toLine wrote them
