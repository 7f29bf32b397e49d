import type { Context } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';

/** RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1). */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

/**
 * The token of the `Authorization` header; undefined where there is no such header, or one of another scheme.
 * Throws `Unauthenticated` where there are several or the header is malformed.
 */
export function bearerToken({ req }: Pick<Context, 'req'>): string | undefined {
  // Node keeps the first of several and says nothing of the others: the raw headers have them all.
  const values = req.rawHeaders.filter(
    (_, index, raw) => raw[index - 1]?.toLowerCase() === 'authorization' && index % 2,
  );
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw new Unauthenticated('there are several Authorization headers');
  if (!/^bearer( |$)/i.test(value)) return undefined;
  const token = credentials.exec(value)?.[1];
  if (token === undefined) throw new Unauthenticated('the Authorization header is malformed: Bearer <token>');
  return token;
}
