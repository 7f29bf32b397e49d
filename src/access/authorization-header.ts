import type { Context } from '../http/context.js';
import { Unauthenticated } from '../http/errors.js';

/** Values of the raw headers, since Node keeps only the first of several. */
export const authorizationHeaders = ({ req }: Pick<Context, 'req'>): readonly string[] =>
  req.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'authorization');

/** RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1). */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

/**
 * Undefined if the header is missing or has another scheme. Throws `Unauthenticated` if there are several headers or
 * the header is malformed.
 */
export function bearerToken(ctx: Pick<Context, 'req'>): string | undefined {
  const values = authorizationHeaders(ctx);
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw new Unauthenticated('there are several Authorization headers');
  if (!/^bearer( |$)/i.test(value)) return undefined;
  const token = credentials.exec(value)?.[1];
  if (token === undefined) throw new Unauthenticated('the Authorization header is malformed: Bearer <token>');
  return token;
}
