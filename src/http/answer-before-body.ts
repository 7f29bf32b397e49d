import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from './context.js';
import { PayloadTooLarge } from './errors.js';

/** Enough for what a client has under way, and for some megabytes. */
const defaultDrainMs = 5_000;

/**
 * Answers a request whose body is too large before the body has arrived, and then reads and drops the rest for a bounded time before the
 * connection is closed (RFC 9112 §9.6). Many clients send the whole request before they read, and a connection that is closed while
 * data arrives is reset, which discards the answer.
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
