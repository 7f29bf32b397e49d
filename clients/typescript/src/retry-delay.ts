const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** Callers that were all told the same time do not come back at the same moment. */
const retryAfterJitterMs = 1_000;

const notRepeated = new Set([501, 505]);

/** True if the same request may succeed later. */
export const isTransient = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && !notRepeated.has(status));

/**
 * Time to wait before the next attempt, in milliseconds: exponential, half of it random, and never less than the service asked for.
 *
 * @param failed number of attempts so far
 * @param random from 0 to 1
 */
export function retryDelayMs(failed: number, retryAfterMs: number | undefined, random = Math.random()): number {
  const backoffMs = Math.min(firstDelayMs * 2 ** (failed - 1), maxDelayMs) * (0.5 + random / 2);
  return retryAfterMs === undefined ? backoffMs : Math.max(backoffMs, retryAfterMs + random * retryAfterJitterMs);
}

/**
 * The `Retry-After` of an answer in milliseconds (RFC 9110 §10.2.3): whole seconds or a date. A date counts from the `Date` of the
 * answer, so that the clocks of both sides may differ. Undefined if there is none, or it is not valid.
 */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Z][a-z]{2}/.test(value)) return undefined; // Date.parse accepts more than HTTP does, such as -1
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const sentAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, until - (Number.isNaN(sentAt) ? now : sentAt));
}
