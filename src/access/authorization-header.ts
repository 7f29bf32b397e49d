import type { Context } from '../http/context.js';

/** The values of all `Authorization` headers of a request: Node keeps only the first of several, the raw headers have all. */
export const authorizationHeaders = ({ req }: Pick<Context, 'req'>): readonly string[] =>
  req.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'authorization');
