const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const minJitter = 0.1;
const maxJitter = 0.2;

export type RetryPolicy = {
  /** Delays between attempts in milliseconds; the first attempt is due at once. */
  schedule: readonly number[];
  /** A `Retry-After` counts as at most this long. */
  maxRetryAfterMs: number;
};

/** 10 attempts within 75.6 hours, without the jitter. */
export const defaultRetryPolicy: RetryPolicy = {
  schedule: [
    ...[0, 5 * second, 5 * minute, 30 * minute],
    ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  ],
  maxRetryAfterMs: 10 * hour,
};

/** Duration with the jitter. */
export const longestScheduleMs = ({ schedule }: RetryPolicy): number =>
  schedule.reduce((sum, delayMs) => sum + delayMs, 0) * (1 + maxJitter);

export type Refusal = {
  now: number;
  status?: number;
  retryAfter?: string;
};

/** Time from `Retry-After` of a 429 or 503, milliseconds since 1970; undefined if absent, malformed or past. */
export function askedToWaitUntil(
  { now, status, retryAfter }: Refusal,
  { maxRetryAfterMs }: RetryPolicy = defaultRetryPolicy,
): number | undefined {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  const askedMs = Math.min(retryAfterMs(retryAfter, now), maxRetryAfterMs);
  return askedMs > 0 ? now + askedMs : undefined;
}

export type FailedAttempt = {
  /** Number from 1. */
  attempt: number;
  now: number;
  notBefore?: number;
};

/**
 * Milliseconds since 1970; undefined if this was the last attempt. Never earlier than the schedule or the listener's
 * `Retry-After`. `random`, from 0 to 1, adds 10 to 20 % as jitter.
 */
export function nextAttemptAt(
  { attempt, now, notBefore = 0 }: FailedAttempt,
  { schedule }: RetryPolicy = defaultRetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  const delayMs = schedule[attempt];
  if (delayMs === undefined) return undefined;
  return Math.max(now + Math.ceil(delayMs * (1 + minJitter + (maxJitter - minJitter) * random())), notBefore);
}

/** RFC 9110 §10.2.3: seconds, or an HTTP date. 0 where it is neither, or in the past. */
function retryAfterMs(header: string, now: number): number {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * second;
  if (!httpDate.test(text)) return 0;
  const at = Date.parse(asGmt(text));
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}

/** RFC 9110 §5.6.7: the preferred form and the two obsolete ones. `Date.parse` alone accepts other texts too. */
const httpDate =
  /^[A-Z][a-z]{2,8},? (\d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/** The asctime form is in GMT without saying so. */
const asGmt = (text: string): string => (text.endsWith('GMT') ? text : `${text} GMT`);
