import type { AttemptReport } from '../../queue/delivery-log.js';
import { firstOfText } from '../../queue/first-bytes.js';

/** What the log keeps of an attempt: bounded, whatever it was told. */
export const reportToKeep = (report: AttemptReport): AttemptReport =>
  report.answer === undefined ? report : { ...report, answer: firstOfText(report.answer) };
