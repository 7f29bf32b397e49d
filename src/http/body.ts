import { parse as parseForm } from 'node:querystring';
import type { Middleware } from 'koa';
import type { z } from 'zod';
import { DomainError, InvalidRequest } from '../kernel/domain-error.js';
import { parseJson } from '../kernel/input/exact-json.js';
import { parseInput } from '../kernel/input/parse-input.js';
import { type ArrivalLimits, arrivingBodies } from './arriving-bodies.js';
import { readBytes } from './body-bytes.js';
import type { Context, RequestState } from './context.js';
import { jsonText, mediaTypeOf, plainText } from './media-type.js';

/** Above the maximum size of a flow event, so that a flow event that is too large gets the error of its own limit. */
export const maxBodyBytes = 1_200_000;

const arrivalLimits: ArrivalLimits = {
  deadlineMs: 30_000, // for `maxBodyBytes` at 40 kB/s
  maxTotalBytes: 128 * 1_024 * 1_024, // a hundred bodies of `maxBodyBytes`, which one caller cannot keep others from sending
};

/** Maximum size of a body that its route parses, see `bodyBytes`. Undefined: the body is read as JSON or a form, if it is one. */
export type RouteBodyLimit = (ctx: Context) => number | undefined;

type BodySettings = {
  limits?: ArrivalLimits;
  routeBodyLimit?: RouteBodyLimit;
};

/**
 * Parses JSON and form bodies, and reads the bodies that routes parse. Keeps an error for the route, which identifies the caller
 * first: 401 before 400. Throws the errors of `arrivingBodies` at once, because the rest of the body is not awaited.
 */
export function readBody({
  limits = arrivalLimits,
  routeBodyLimit = () => undefined,
}: BodySettings = {}): Middleware<RequestState> {
  const arriving = arrivingBodies(limits);
  return async (ctx, next) => {
    const limit = hasBody(ctx) ? routeBodyLimit(ctx) : undefined;
    const parse = limit === undefined ? parserOf(ctx) : (bytes: Buffer) => bytes;
    if (hasBody(ctx) && parse) {
      const maxBytes = limit ?? maxBodyBytes;
      await arriving(ctx, keepBody(ctx, maxBytes, parse), maxBytes);
    }
    await next();
  };
}

async function keepBody(ctx: Context, maxBytes: number, parse: (bytes: Buffer) => unknown): Promise<void> {
  try {
    ctx.state.body = parse(await readBytes(ctx, maxBytes));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    ctx.state.bodyError = error;
  }
}

function parserOf(ctx: Context): ((bytes: Buffer) => unknown) | undefined {
  switch (mediaTypeOf(ctx)) {
    case 'application/json':
      return (bytes) => (bytes.length === 0 ? {} : jsonIn(ctx, bytes));
    case 'application/x-www-form-urlencoded':
      return (bytes) => parseForm(plainText(ctx, bytes), '&', '=', { maxKeys: 0 }); // `maxBodyBytes` limits them
    default:
      return undefined;
  }
}

const jsonIn = (ctx: Context, bytes: Buffer): unknown => parsedJson(jsonText(ctx, bytes), 'the body');

/** Throws `InvalidRequest` with the reason. `name`: of the text, in the reason. */
export function parsedJson(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidRequest(`${name} is nested too deep`);
    throw new InvalidRequest(text.trim() === '' ? `${name} is empty` : `${name} is not valid JSON`);
  }
}

/** The JSON body. Throws `InvalidRequest` or `PayloadTooLarge` if it could not be parsed, and `InvalidRequest` if it is not JSON. */
export function jsonValue(ctx: Context): unknown {
  if (ctx.state.bodyError) throw ctx.state.bodyError;
  if (!hasBody(ctx) || mediaTypeOf(ctx) !== 'application/json')
    throw new InvalidRequest('send a JSON body, with Content-Type: application/json');
  return ctx.state.body;
}

/** Parses the JSON body with a schema. Throws `InvalidRequest` (with field and reason) or `PayloadTooLarge`. */
export const jsonBody = <Schema extends z.ZodType>(ctx: Context, schema: Schema): z.output<Schema> =>
  parseInput(schema, jsonValue(ctx));

/** RFC 9112 §6.3. */
export const hasBody = ({ request }: Context): boolean =>
  Boolean(request.length) || request.get('transfer-encoding') !== '';

/** A body that its route parses, see `RouteBodyLimit`; empty without one. Throws `InvalidRequest`, `PayloadTooLarge`, `UnsupportedMediaType`. */
export function bodyBytes({ state: { body, bodyError } }: Context): Buffer {
  if (bodyError) throw bodyError;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
