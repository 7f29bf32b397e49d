import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { contentCodingOf } from './body-bytes.js';
import type { Context } from './context.js';
import { PayloadTooLarge, RequestTimeout, TooManyRequests } from './errors.js';

export type ArrivalLimits = {
  deadlineMs: number;
  maxTotalBytes: number;
};

type Arrival = { bytes: number; giveUp: (error: Error) => void };

/**
 * Bounds time and memory of slow bodies. Rejects with `RequestTimeout`, and with `TooManyRequests` for the oldest body
 * while all together exceed the limit.
 */
export function arrivingBodies({ deadlineMs, maxTotalBytes }: ArrivalLimits) {
  const arrivals = new Set<Arrival>(); // the oldest first
  let totalBytes = 0;

  function add(arrival: Arrival, bytes: number): void {
    if (!arrivals.has(arrival)) return;
    arrival.bytes += bytes;
    totalBytes += bytes;
    for (const oldest of arrivals) {
      if (totalBytes <= maxTotalBytes) return;
      remove(oldest);
      oldest.giveUp(new TooManyRequests('too many request bodies arrive at once; try again shortly'));
    }
  }

  function remove(arrival: Arrival): void {
    if (arrivals.delete(arrival)) totalBytes -= arrival.bytes;
  }

  return async (ctx: Context, parsed: Promise<unknown>, maxBytes: number): Promise<void> => {
    const { req, response } = ctx;
    const arrival: Arrival = { bytes: 0, giveUp: () => undefined };
    const givenUp = new Promise<never>((_, reject) => {
      arrival.giveUp = reject;
    });
    const late = () => arrival.giveUp(new RequestTimeout(`the body did not arrive within ${deadlineMs / 1_000} s`));
    const deadline = setTimeout(late, deadlineMs);
    arrivals.add(arrival);
    if (contentCodingOf(ctx) !== 'identity') add(arrival, maxBytes);
    else req.on('data', ({ length }: Buffer) => add(arrival, length));
    try {
      await Promise.race([parsed, givenUp]);
    } catch (error) {
      response.set('Connection', 'close');
      throw error;
    } finally {
      clearTimeout(deadline);
      remove(arrival);
    }
  };
}

/** Enough for what a client has under way, and for some megabytes. */
const defaultDrainMs = 5_000;

/**
 * Answers early if the body is too large, and drops the rest for a bounded time (RFC 9112 §9.6): a reset would discard
 * the answer.
 */
export const answerBeforeBody =
  (drainMs = defaultDrainMs) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { req, body } = ctx;
    if (!(ctx.state.bodyError instanceof PayloadTooLarge) || req.complete || body instanceof Readable) return;
    const answer = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
    ctx.body = Readable.from(answerAndDrain(answer, req, drainMs));
    ctx.length = answer.length;
    ctx.set('Connection', 'close');
  };

async function* answerAndDrain(answer: Buffer, req: Context['req'], drainMs: number): AsyncGenerator<Buffer> {
  yield answer;
  req.resume();
  await finished(req, { signal: AbortSignal.timeout(drainMs) }).catch(() => undefined); // too slow, or gone
}
