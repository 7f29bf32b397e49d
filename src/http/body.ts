import type { Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { z } from 'zod';
import { type DomainError, InvalidRequest } from '../kernel/domain-error.js';
import { parseInput } from '../kernel/input/parse-input.js';
import { type ArrivalLimits, arrivingBodies } from './arriving-bodies.js';
import type { Context, RequestState } from './context.js';
import { PayloadTooLarge } from './errors.js';

/** Above the maximum size of a flow event, so that a flow event that is too large gets the error of its own limit. */
export const maxBodyBytes = 1_200_000;

const arrivalLimits: ArrivalLimits = {
  deadlineMs: 30_000, // for `maxBodyBytes` at 40 kB/s
  maxTotalBytes: 128 * 1_024 * 1_024, // a hundred bodies of `maxBodyBytes`, which one caller cannot keep others from sending
};

/** Maximum size of a body that its route gets as text, see `textBody`. Undefined: the body is read as JSON or a form, if it is one. */
export type TextBodyLimit = (ctx: Context) => number | undefined;

type BodySettings = {
  limits?: ArrivalLimits;
  textBodyLimit?: TextBodyLimit;
};

/**
 * Parses JSON and form bodies, and reads the texts that routes parse. Keeps an error for the route, which identifies the caller
 * first: 401 before 400. Throws the errors of `arrivingBodies` at once, because the rest of the body is not awaited.
 */
export function readBody({
  limits = arrivalLimits,
  textBodyLimit = () => undefined,
}: BodySettings = {}): Middleware<RequestState> {
  const parse = parseBody();
  const arriving = arrivingBodies(limits);
  return async (ctx, next) => {
    const textLimit = textBodyLimit(ctx);
    if (textLimit === undefined ? ctx.request.is(['json', 'urlencoded']) : hasBody(ctx)) {
      const isValid = checkUtf8(ctx);
      const parsed = (textLimit === undefined ? parse : readText(textLimit))(ctx, async () => undefined);
      await arriving(ctx, parsed, textLimit ?? maxBodyBytes);
      if (!isValid()) ctx.state.bodyError = new InvalidRequest('the body is not valid UTF-8');
    }
    await next();
  };
}

/**
 * Checks the bytes of a body as they arrive (RFC 8259 §8.1), because the parser replaces invalid ones without an error. Returns a
 * function that is true if they were valid. A compressed body is not checked.
 */
function checkUtf8({ req }: Context): () => boolean {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') return () => true;
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
    formLimit: String(maxBodyBytes), // forms of the console hold flow events and schemas
    strict: true,
    ...({ onProtoPoisoning: 'ignore' } as object), // `__proto__` is data: `JSON.parse` sets no prototype. Its types lack the option
    onerror(error, ctx) {
      const { state } = ctx as unknown as Context; // koa-bodyparser does not know the state of our requests
      state.bodyError = bodyError(error, maxBodyBytes);
    },
  });

function readText(maxBytes: number): Middleware<RequestState> {
  const parse: Middleware<RequestState> = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['*/*'] },
    textLimit: String(maxBytes),
    onerror(error, ctx) {
      (ctx as unknown as Context).state.bodyError = bodyError(error, maxBytes); // as above
    },
  });
  return async (ctx, next) => {
    const { headers } = ctx.req;
    if (headers['content-type'] !== undefined) return parse(ctx, next);
    headers['content-type'] = 'text/plain'; // the parser reads no body without a type
    await parse(ctx, next).finally(() => delete headers['content-type']);
  };
}

const bodyError = (error: Error, maxBytes: number): DomainError =>
  'type' in error && error.type === 'entity.too.large'
    ? new PayloadTooLarge(`the body is over the limit of ${maxBytes} bytes`)
    : new InvalidRequest('the body is not valid JSON');

/** The JSON body. Throws `InvalidRequest` or `PayloadTooLarge` if it could not be parsed, and `InvalidRequest` if it is not JSON. */
export function jsonValue(ctx: Context): unknown {
  if (ctx.state.bodyError) throw ctx.state.bodyError;
  if (!ctx.request.is('json')) throw new InvalidRequest('send a JSON body, with Content-Type: application/json');
  return ctx.request.body;
}

/** Parses the JSON body with a schema. Throws `InvalidRequest` (with field and reason) or `PayloadTooLarge`. */
export const jsonBody = <Schema extends z.ZodType>(ctx: Context, schema: Schema): z.output<Schema> =>
  parseInput(schema, jsonValue(ctx));

/** RFC 9112 §6.3. */
export const hasBody = ({ request }: Context): boolean =>
  Boolean(request.length) || request.get('transfer-encoding') !== '';

export function textBody({ state, request }: Context): string | undefined {
  if (state.bodyError) throw state.bodyError;
  return typeof request.body === 'string' ? request.body : undefined;
}
