import type { AttemptReport } from '../delivery-log.js';
import { firstOfText } from '../first-bytes.js';

/** What the log keeps of an attempt: bounded, whatever it was told. */
export const reportToKeep = (report: AttemptReport): AttemptReport =>
  report.answer === undefined ? report : { ...report, answer: firstOfText(report.answer) };
