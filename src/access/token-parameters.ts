import { z } from 'zod';
import type { Context } from '../http/context.js';
import { PayloadTooLarge } from '../http/errors.js';
import type { AnswerDescription } from '../http/route-contract.js';
import { sentFields } from '../kernel/input/sent-fields.js';
import { InvalidTokenRequest } from './errors.js';

export const text = (maxLength: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be sent once, as a string') })
    .max(maxLength, { error: `must not be longer than ${maxLength} characters` });

/** RFC 6749 §3.2: a parameter without a value counts as missing. */
export const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** Throws `InvalidTokenRequest`, `PayloadTooLarge`. */
export function tokenBody(ctx: Context): unknown {
  if (ctx.state.bodyError instanceof PayloadTooLarge) throw ctx.state.bodyError;
  if (ctx.state.bodyError) throw new InvalidTokenRequest(ctx.state.bodyError.message);
  if (ctx.state.body === undefined) throw new InvalidTokenRequest('send a form or a JSON body');
  return ctx.state.body;
}

export function parseParameters<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const {
    sent,
    misnamed: [misnamed],
  } = sentFields(schema, body);
  if (misnamed) throw new InvalidTokenRequest(`${misnamed.path.join('.')}: the name is ${misnamed.name}`);
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidTokenRequest(issue?.path.length ? `${issue.path.join('.')} ${issue.message}` : 'send an object');
}

/** RFC 6749 §3.2, and JSON. JSON is first: generated clients make the body of the first type. */
export const jsonOrForm = ['application/json', 'application/x-www-form-urlencoded'] as const;

const meanings = {
  invalid_request: 'A parameter is missing, repeated or not valid; `error_description` names it.',
  invalid_grant:
    'The code or refresh token is not valid, has expired or has been revoked: the user has to connect again.',
  unsupported_grant_type: 'The route supports another `grant_type`.',
  invalid_scope: 'The requested scope is unknown or exceeds the scope that was granted.',
  invalid_target: 'The `resource` is unknown, or not the one of the sign-in (RFC 8707).',
  invalid_client: 'The client credentials are missing or not valid.',
  temporarily_unavailable: 'Try again after `Retry-After`. The token is still valid.',
} as const;

type TokenErrorCode = keyof typeof meanings;

const refusal = z
  .strictObject({
    error: z.enum(Object.keys(meanings) as TokenErrorCode[]),
    error_description: z.string().describe('A text for people.'),
  })
  .meta({ id: 'TokenError' });

/** The errors of a token route, by status (RFC 6749 §5.2). `refusals`: those with status 400. */
export function tokenErrors(refusals: readonly TokenErrorCode[]): Readonly<Record<number, AnswerDescription>> {
  return {
    400: tokenError(refusals),
    401: tokenError(['invalid_client'], { 'WWW-Authenticate': 'The way to authenticate.' }),
    413: tokenError(['invalid_request']),
    429: tokenError(['temporarily_unavailable'], { 'Retry-After': 'Seconds to wait before the next attempt.' }),
    503: tokenError(['temporarily_unavailable'], { 'Retry-After': 'Seconds to wait before the next attempt.' }),
  };
}

function tokenError(
  codes: readonly TokenErrorCode[],
  headers: Readonly<Record<string, string>> = {},
): AnswerDescription {
  const [first = 'invalid_request'] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${meanings[code]}`).join('\n\n'),
    schema: refusal,
    errorCodes: codes,
    example: { error: first, error_description: meanings[first] },
    headers,
  };
}
