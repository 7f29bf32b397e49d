import { z } from 'zod';
import type { Context } from '../http/context.js';
import { PayloadTooLarge } from '../http/errors.js';
import { InvalidTokenRequest } from './oauth-errors.js';

/** A parameter that is sent once, as a string. */
export const text = (maxLength: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be sent once, as a string') })
    .max(maxLength, { error: `must not be longer than ${maxLength} characters` });

/** RFC 6749 §3.2: a parameter without a value counts as missing. */
export const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** The body of a request to a token route, JSON or a form. Throws `InvalidTokenRequest`, `PayloadTooLarge`. */
export function tokenBody(ctx: Context): unknown {
  if (ctx.state.bodyError instanceof PayloadTooLarge) throw ctx.state.bodyError;
  if (ctx.state.bodyError) throw new InvalidTokenRequest('the body is neither valid JSON nor a valid form');
  if (!ctx.request.is('json', 'urlencoded')) throw new InvalidTokenRequest('send a form or a JSON body');
  return ctx.request.body;
}

/** The parameters of a body. Throws `InvalidTokenRequest`, which names the first invalid one. */
export function parseParameters<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidTokenRequest(issue?.path.length ? `${issue.path.join('.')} ${issue.message}` : 'send an object');
}
