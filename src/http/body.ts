import type { Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { z } from 'zod';
import { InvalidRequest } from '../kernel/domain-error.js';
import { parseInput } from '../kernel/input/parse-input.js';
import { type ArrivalLimits, arrivingBodies } from './arriving-bodies.js';
import type { Context, RequestState } from './context.js';
import { PayloadTooLarge } from './errors.js';

/** Above the maximum size of a flow event, so that a flow event that is too large gets the error of its own limit. */
export const maxBodyBytes = 1_200_000;

const arrivalLimits: ArrivalLimits = {
  deadlineMs: 30_000, // for `maxBodyBytes` at 40 kB/s
  maxTotalBytes: 128 * 1_024 * 1_024, // a hundred of the largest bodies, which one caller cannot keep others from sending
  maxBodyBytes,
};

/** A form contains a code or a token, and names. */
const maxFormBytes = 65_536;

/**
 * Parses JSON and form bodies; no other is read. Keeps an error for the route, which identifies the caller first: 401 before 400. Throws the errors
 * of `arrivingBodies` at once, because the rest of the body is not awaited.
 */
export function readBody(limits: ArrivalLimits = arrivalLimits): Middleware<RequestState> {
  const parse = parseBody();
  const arriving = arrivingBodies(limits);
  return async (ctx, next) => {
    if (ctx.request.is('json', 'urlencoded')) {
      const isValid = checkUtf8(ctx);
      const parsed = parse(ctx, async () => undefined);
      await arriving(ctx, parsed);
      if (!isValid()) ctx.state.bodyError = new InvalidRequest('the body is not valid UTF-8');
    }
    await next();
  };
}

/**
 * Checks the bytes of a body as they arrive (RFC 8259 §8.1), because the parser replaces invalid ones without an error. The
 * returned function tells whether they were valid. A compressed body is not checked.
 */
function checkUtf8({ req }: Context): () => boolean {
  if (req.headers['content-encoding'] !== undefined) return () => true;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let valid = true;
  const check = (chunk?: Buffer) => {
    try {
      if (valid) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      valid = false;
    }
  };
  req.on('data', check);
  return () => {
    check();
    return valid;
  };
}

const parseBody = (): Middleware<RequestState> =>
  bodyParser({
    enableTypes: ['json', 'form'],
    jsonLimit: String(maxBodyBytes),
    formLimit: String(maxFormBytes),
    strict: true,
    ...({ onProtoPoisoning: 'ignore' } as object), // `__proto__` is data: `JSON.parse` sets no prototype. Its types lack the option
    onerror(error, ctx) {
      const { state, request } = ctx as unknown as Context; // koa-bodyparser does not know the state of our requests
      const tooLarge = 'type' in error && error.type === 'entity.too.large';
      state.bodyError = tooLarge
        ? new PayloadTooLarge(`the body is over the limit of ${request.is('json') ? maxBodyBytes : maxFormBytes} bytes`)
        : new InvalidRequest('the body is not valid JSON');
    },
  });

/** The JSON body. Throws `InvalidRequest` or `PayloadTooLarge` if it could not be parsed, and `InvalidRequest` if it is not JSON. */
export function jsonValue(ctx: Context): unknown {
  if (ctx.state.bodyError) throw ctx.state.bodyError;
  if (!ctx.request.is('json')) throw new InvalidRequest('send a JSON body, with Content-Type: application/json');
  return ctx.request.body;
}

/** Parses the JSON body with a schema. Throws `InvalidRequest` (with field and reason) or `PayloadTooLarge`. */
export const jsonBody = <Schema extends z.ZodType>(ctx: Context, schema: Schema): z.output<Schema> =>
  parseInput(schema, jsonValue(ctx));

/** Whether the request has a body (RFC 9112 §6.3). */
export const hasBody = ({ request }: Context): boolean =>
  Boolean(request.length) || request.get('transfer-encoding') !== '';
