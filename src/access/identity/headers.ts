import type { Context } from '../../http/context.js';
import { Forbidden } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/input/texts.js';

type IdHeader = 'orgid' | 'userid';

/**
 * Undefined if missing. Reads the raw headers, because Node joins or drops repeated ones. Throws `InvalidRequest` if
 * values differ or are not valid IDs.
 */
export function headerId(ctx: Context, name: IdHeader): string | undefined {
  const raw = ctx.req.rawHeaders;
  const values = new Set<string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.add(utf8(raw[index + 1] ?? '', name));
  }
  if (values.size > 1) throw new InvalidRequest(`the header ${name} has different values`);
  const [value] = values;
  if (value !== undefined && !opaqueId.safeParse(value).success) {
    throw new InvalidRequest(`the header ${name} must be 1 to 256 printable characters`);
  }
  return value;
}

/** Throws `Forbidden` if header and credentials differ. */
export function headerOrClaim(ctx: Context, name: IdHeader, claimed: string | undefined): string | undefined {
  const sent = headerId(ctx, name);
  if (sent !== undefined && claimed !== undefined && sent !== claimed) {
    const subject = name === 'orgid' ? 'organisation' : 'user';
    throw new Forbidden(`the credentials are for a different ${subject} than the header ${name}`);
  }
  return sent ?? claimed;
}

/** Throws `InvalidRequest` if the header is missing, and `Forbidden` if the credentials have another value. */
export function requiredHeader(ctx: Context, name: IdHeader, claimed: string | undefined): string {
  const sent = headerId(ctx, name);
  if (sent === undefined) throw new InvalidRequest(`the header ${name} is required`);
  return headerOrClaim(ctx, name, claimed) ?? sent;
}

/** Decodes as UTF-8: Node reads header bytes as Latin-1. */
function utf8(value: string, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new InvalidRequest(`the header ${name} is not UTF-8`);
  }
}
