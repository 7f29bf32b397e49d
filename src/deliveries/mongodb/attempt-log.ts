import type { AttemptReport } from '../delivery-log.js';

/** What is kept of an answer, in bytes. */
const answerLimit = 1_024;

/** What the log keeps of an attempt: bounded, whatever it was told. */
export function reportToKeep({ startedAt, durationMs, status, error, answer, address }: AttemptReport): AttemptReport {
  return {
    ...{ startedAt, durationMs },
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer !== undefined && { answer: firstBytes(answer) }),
    ...(address !== undefined && { address }),
  };
}

/** Cut between characters: what is left of one that was cut is no character. */
function firstBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= answerLimit) return text;
  return new TextDecoder().decode(bytes.subarray(0, answerLimit), { stream: true });
}
