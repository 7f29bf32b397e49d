import type { AttemptReport } from '../delivery-log.js';

/** Of a delivery, the latest attempts are kept; of an answer, its first bytes. */
const maxAttempts = 100;
const maxAnswerBytes = 1_024;

/** What `log` becomes with the line that is bound: as each attempt has one, it is full after so many attempts. */
export const logWithLine = `ifnull(CASE WHEN attempts < ${maxAttempts} THEN log
  ELSE substr(log, instr(log, char(10)) + 1) END || char(10), '') || ?`;

export const toLine = ({ startedAt, durationMs, status, error, answer, address }: AttemptReport): string =>
  JSON.stringify({ startedAt, durationMs, status, error, answer: answer && firstBytes(answer), address });

export const fromLog = (log: string | null): readonly AttemptReport[] =>
  log === null ? [] : log.split('\n').map((line) => JSON.parse(line) as AttemptReport); // as toLine wrote them

/** Text of at most so many bytes, which ends between two characters. */
function firstBytes(text: string): string {
  if (Buffer.byteLength(text) <= maxAnswerBytes) return text;
  return Buffer.from(text)
    .subarray(0, maxAnswerBytes)
    .toString()
    .replace(/\uFFFD$/u, '');
}
