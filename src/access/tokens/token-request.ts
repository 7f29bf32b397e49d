import { z } from 'zod';
import type { Context } from '../../http/context.js';
import { PayloadTooLarge } from '../../http/errors.js';
import { InvalidTokenRequest, UnsupportedGrantType } from '../oauth-errors.js';

const text = (maxLength: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be sent once, as a string') })
    .max(maxLength, { error: `must not be longer than ${maxLength} characters` });

/** RFC 6749 §3.2: a parameter without a value counts as missing. */
const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

const grant = z.object({ grant_type: parameter(text(256)) });

/** Other parameters (`client_id`, `redirect_uri` …) are ignored. */
const access = z.object({ code: parameter(text(8_192)), code_verifier: parameter(text(1_024).optional()) });
const refresh = z.object({ refresh_token: parameter(text(1_024)) });

/** Parses the body of `POST /access`, JSON or a form. Throws `InvalidTokenRequest` and `UnsupportedGrantType`. */
export const accessRequest = (ctx: Context): z.output<typeof access> => tokenRequest(ctx, 'authorization_code', access);

/** Parses the body of `POST /refresh`, JSON or a form. Throws `InvalidTokenRequest` and `UnsupportedGrantType`. */
export const refreshRequest = (ctx: Context): z.output<typeof refresh> => tokenRequest(ctx, 'refresh_token', refresh);

const basic = /^basic +([\w.~+/-]+=*)$/i;

/**
 * The client that a token request names, in `Authorization: Basic` (RFC 6749 §2.3.1) or in the body; undefined if it names none.
 * It is not authenticated.
 */
export function claimedClientId(ctx: Context): string | undefined {
  const [, encoded] = basic.exec(ctx.get('authorization')) ?? [];
  const { client_id: named } = (ctx.request.body ?? {}) as { readonly client_id?: unknown };
  const claimed = encoded === undefined ? named : Buffer.from(encoded, 'base64').toString().split(':')[0];
  return text(256).safeParse(claimed).data || undefined;
}

function tokenRequest<Request>(ctx: Context, grantType: string, schema: z.ZodType<Request>): Request {
  if (ctx.state.bodyError instanceof PayloadTooLarge) throw ctx.state.bodyError;
  if (ctx.state.bodyError) throw new InvalidTokenRequest('the body is neither valid JSON nor a valid form');
  if (!ctx.request.is('json', 'urlencoded')) throw new InvalidTokenRequest('send a form or a JSON body');
  const { body } = ctx.request;
  if (parseParameters(grant, body).grant_type !== grantType) throw new UnsupportedGrantType(grantType);
  return parseParameters(schema, body);
}

function parseParameters<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidTokenRequest(issue?.path.length ? `${issue.path.join('.')} ${issue.message}` : 'send an object');
}
