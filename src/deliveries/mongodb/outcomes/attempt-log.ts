import type { AttemptReport } from '../../queue/delivery-log.js';
import { firstOfText } from '../../queue/first-bytes.js';

/** The report of an attempt as the log keeps it, with a bounded answer. */
export const reportToKeep = (report: AttemptReport): AttemptReport =>
  report.answer === undefined ? report : { ...report, answer: firstOfText(report.answer) };
