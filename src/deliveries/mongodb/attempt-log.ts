import type { AttemptReport } from '../delivery-log.js';
import { firstOfText } from '../first-bytes.js';

/** What the log keeps of an attempt: bounded, whatever it was told. */
export function reportToKeep({ startedAt, durationMs, status, error, answer, address }: AttemptReport): AttemptReport {
  return {
    ...{ startedAt, durationMs },
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer !== undefined && { answer: firstOfText(answer) }),
    ...(address !== undefined && { address }),
  };
}
