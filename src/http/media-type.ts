import { InvalidRequest } from '../kernel/domain-error.js';
import type { Context } from './context.js';
import { UnsupportedMediaType } from './errors.js';

type Request = Pick<Context, 'req'>;

const contentType = ({ req }: Request): string => req.headers['content-type'] ?? '';

/** Lower case, without parameters; empty if missing, or if the header is empty. */
export const mediaTypeOf = (ctx: Request): string => contentType(ctx).split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isMediaType = (type: string): boolean => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type);

/** Lower case; undefined if none is declared. Throws `InvalidRequest` if it is empty. */
function charsetOf(ctx: Request): string | undefined {
  const declared = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(contentType(ctx));
  if (!declared) return undefined;
  const charset = (declared[1] ?? declared[2] ?? '').toLowerCase();
  if (charset === '') throw new InvalidRequest('Content-Type: the charset is empty: leave it out, or send utf-8');
  return charset;
}

/** Names of UTF-8 and of its subset. */
const utf8 = ['utf-8', 'utf8', 'us-ascii', 'ascii'];

/** RFC 8259 §8.1: JSON is UTF-8. Throws `UnsupportedMediaType`, and `InvalidRequest` for other bytes. */
export function jsonText(ctx: Request, bytes: Buffer): string {
  const charset = charsetOf(ctx);
  if (charset !== undefined && !utf8.includes(charset))
    throw new UnsupportedMediaType(`Content-Type: the charset of JSON is utf-8, not ${charset}`);
  return decoded(bytes, 'utf-8');
}

/** Decodes a text by its declared charset, else as UTF-8. Throws `UnsupportedMediaType`, and `InvalidRequest` for other bytes. */
export const plainText = (ctx: Request, bytes: Buffer): string => decoded(bytes, charsetOf(ctx) ?? 'utf-8');

/** Text without a byte order mark. */
function decoded(bytes: Buffer, charset: string): string {
  const decoder = decoderOf(charset, bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new InvalidRequest(`the body is not valid ${charset.toUpperCase()}`);
  }
}

function decoderOf(charset: string, bytes: Buffer): TextDecoder {
  const isBigEndian = charset === 'utf-16' && bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return new TextDecoder(isBigEndian ? 'utf-16be' : charset, { fatal: true });
  } catch {
    throw new UnsupportedMediaType(`Content-Type: the charset ${charset} is not supported: send utf-8`);
  }
}
