import type { Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import { DomainError, InvalidRequest } from '../kernel/domain-error.js';
import type { Context } from './context.js';
import { PayloadTooLarge, UnsupportedMediaType } from './errors.js';

/** Content codings (RFC 9110 §8.4.1) by their names in requests, with those that the parser knows. */
const codings: ReadonlyMap<string, string> = new Map([
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);
const acceptedCodings = 'gzip, deflate, br';

/** Lower case; `identity` if none is declared. */
export const contentCodingOf = ({ req }: Pick<Context, 'req'>): string =>
  req.headers['content-encoding']?.trim().toLowerCase() || 'identity';

/**
 * The body, decompressed. Leaves the rest of a body that is too large unread. Throws `UnsupportedMediaType`, `PayloadTooLarge`, and
 * `InvalidRequest` where it cannot be decompressed or broke off.
 */
export async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const { headers } = ctx.req;
  const coding = contentCodingOf(ctx);
  const known = codings.get(coding);
  if (known === undefined)
    throw new UnsupportedMediaType(`Content-Encoding: ${coding} is not supported: send ${acceptedCodings} or none`);
  const { 'content-type': sentType, 'content-encoding': sentCoding } = headers;
  // As a text of single bytes: the parser knows one charset, and replaces what is not valid in it without an error.
  Object.assign(headers, { 'content-type': 'text/plain', 'content-encoding': known });
  try {
    await byteParserOf(maxBytes)(ctx, async () => undefined);
    return Buffer.from((ctx.request.rawBody as string | undefined) ?? '', 'binary'); // absent where there is none
  } catch (error) {
    throw reasonOf(error as Error & { type?: string }, coding, maxBytes);
  } finally {
    Object.assign(headers, { 'content-type': sentType, 'content-encoding': sentCoding });
    if (sentType === undefined) delete headers['content-type'];
    if (sentCoding === undefined) delete headers['content-encoding'];
  }
}

/** Routes have few limits. */
const parsers = new Map<number, Middleware>();

function byteParserOf(maxBytes: number): Middleware {
  const options = { enableTypes: ['text'], textLimit: `${maxBytes}`, encoding: 'binary' }; // its types lack `encoding`
  const parser = parsers.get(maxBytes) ?? bodyParser(options);
  parsers.set(maxBytes, parser);
  return parser;
}

/** `type`: of the errors of raw-body. */
function reasonOf(error: Error & { type?: string; code?: string }, coding: string, maxBytes: number): Error {
  if (error instanceof DomainError) return error;
  if (error.type === 'entity.too.large') return new PayloadTooLarge(`the body is over the limit of ${maxBytes} bytes`);
  if (coding !== 'identity' && error.type === undefined)
    return new InvalidRequest(`the body cannot be decompressed: it is not valid ${coding}`);
  return new InvalidRequest('the body ended early');
}
